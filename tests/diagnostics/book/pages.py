"""A strict reading of the pages: what a browser would forgive, this does not."""

from html.parser import HTMLParser

VOID = frozenset(("br", "img", "input", "link", "meta"))


class Page(HTMLParser):
    """Tags of a page, with every fault that they have."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]
        self.faults += [f"the id {one} comes twice" for one in self.ids if self.ids.count(one) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if len(told) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        if tag == "img" and not told.get("alt"):
            self.faults.append("a picture says nothing to who cannot see it")
        if told.get("id"):
            self.ids.append(told["id"] or "")
        self.tags.append((tag, told))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of drawings, whose elements may close themselves."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def links(self) -> list[str]:
        return [told["href"] or "" for tag, told in self.tags if tag == "a" and "href" in told]
