"""HTML put together from parts: whatever is not Markup is escaped on its way in, so no text can become a tag."""

from collections.abc import Iterable
from html import escape

VOID = frozenset(("br", "img", "input", "link", "meta"))


class Markup(str):
    """HTML that is ready to stand in a page."""

    __slots__ = ()


Part = Markup | str | None  # None is left out


def element(name: str, /, *parts: Part, **attributes: str) -> Markup:
    """`<name attributes>parts</name>`; `class_` is the attribute class, `data_words` is data-words, "" is one without a value."""
    told = "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    return Markup(f"<{name}{told}>" if name in VOID else f"<{name}{told}>{joined(parts)}</{name}>")


def joined(parts: Iterable[Part], between: Part = "") -> Markup:
    """The parts one after the other."""
    return Markup(_told(between).join(_told(part) for part in parts if part is not None))


def paragraphs(*texts: str) -> Markup:
    """Each text that says something as a paragraph."""
    return joined(element("p", text) for text in texts if text)


def listing(items: Iterable[Part], kind: str = "ul", **attributes: str) -> Markup | None:
    """The items as a list; nothing where there are none."""
    entries = [element("li", item) for item in items if item is not None]
    return element(kind, *entries, **attributes) if entries else None


def outside(title: str, url: str) -> Part:
    """A link to a page elsewhere; the title alone where the address is none of the web."""
    return element("a", title, href=url) if url.startswith(("https://", "http://")) else title


def section(title: str, *parts: Part, **attributes: str) -> Markup | None:
    """A headed part of a page; nothing where it would be empty."""
    held = [part for part in parts if part]
    return element("section", element("h2", title), *held, **attributes) if held else None


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else f" {name}"


def _told(part: Part) -> str:
    return part if isinstance(part, Markup) else escape(part or "")
