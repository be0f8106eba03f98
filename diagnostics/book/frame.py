"""The frame around every page of the book: head, style, path and foot. A page loads nothing from elsewhere."""

from functools import cache
from importlib.resources import files

from diagnostics.book.markup import Markup, Part, element, joined

INDEX = "index.html"


def framed(title: str, *parts: Part, path: Part = None, foot: Part = None, script: str = "") -> str:
    """A whole HTML document. `path` says where in the book one is, `foot` where one may go on."""
    head = element(
        "head", element("meta", charset="utf-8"), element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · Splat Doctor"), element("style", Markup(shipped("book.css"))))
    # The style and the script are our own files: what a style or a script holds is not escaped in HTML.
    body = element("body", element("div", _path(path), element("main", *parts), element("footer", *_foot(foot)), class_="page"),
                   element("script", Markup(shipped(script))) if script else None)
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def inside(title: Part, page: str, **attributes: str) -> Markup:
    """A link to another page of the book, or to a place in one."""
    return element("a", title, href=page, **attributes)


@cache
def shipped(name: str) -> str:
    """The text of a file under resources/book."""
    return (files("resources") / "book" / name).read_text("utf-8")


def _path(path: Part) -> Markup | None:
    return None if path is None else element("nav", inside("Catalogue", INDEX), " › ", path, class_="path", aria_label="Path")


def _foot(foot: Part) -> tuple[Part, ...]:
    return (element("span", "Written by splatdoctor catalogue --html"), None if foot is None else element("nav", foot))


def code(text: str) -> Markup:
    """A code or a setting's name."""
    return element("span", text, class_="code")


def linked(parts: list[Markup]) -> Markup | None:
    """Links with commas; nothing where there are none."""
    return joined(parts, ", ") if parts else None
