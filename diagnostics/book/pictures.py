"""The pictures of patterns that were taken in our lab, and their captions; a pattern without one says so."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diagnostics.book.frame import shipped
from diagnostics.book.markup import Markup, element

FOLDER = "pictures"  # beside the pages


@dataclass(frozen=True)
class Picture:
    """One picture: renders side by side (an image file) or curves (a drawing that stands in the page)."""

    file: str  # under resources/book/pictures
    alt: str  # what is to be seen, for who cannot see it
    caption: str  # which training, which fault, which iteration, with the numbers measured


@cache
def pictures() -> Mapping[str, tuple[Picture, ...]]:
    """Pictures by the code of the pattern."""
    listed = files("resources") / "book" / "pictures.json"
    told = json.loads(listed.read_text("utf-8")) if listed.is_file() else {}
    return {code: tuple(Picture(**entry) for entry in entries) for code, entries in told.items()}


def image_files() -> tuple[str, ...]:
    """The image files that pages link to."""
    every = {picture.file for shown in pictures().values() for picture in shown}
    return tuple(sorted(name for name in every if not name.endswith(".svg")))


def image_bytes(name: str) -> bytes:
    return (files("resources") / "book" / "pictures" / name).read_bytes()


def figure(picture: Picture) -> Markup:
    """The picture with its caption. Drawings stand in the page itself, so that they follow its colours."""
    if picture.file.endswith(".svg"):
        shown = Markup(shipped(f"pictures/{picture.file}"))
    else:
        shown = element("img", src=f"{FOLDER}/{picture.file}", alt=picture.alt)
    return element("figure", shown, element("figcaption", picture.caption))
