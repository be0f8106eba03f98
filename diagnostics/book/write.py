"""Writes the book: index, a page per pattern and per probe, guide and pictures, into one folder that can be moved anywhere."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import diagnostics.detectors
import diagnostics.probes.questions  # noqa: F401  (registers every probe)
from diagnostics.book.families import order_of
from diagnostics.book.frame import INDEX
from diagnostics.book.guide import Guide, load_guide
from diagnostics.book.guide_page import coded_patterns, guide_page
from diagnostics.book.index_page import index_page
from diagnostics.book.links import Probes, page_of, probe_file
from diagnostics.book.pattern_page import pattern_page
from diagnostics.book.pictures import FOLDER, image_bytes, image_files
from diagnostics.book.probe_page import probe_page
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.probes.registry import PROBES, pages
from diagnostics.registry import DETECTORS, Detector


def write_book(folder: Path) -> int:
    """Writes every page and picture; returns the number of pages. Files of the same names are replaced. Raises OSError."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    written = 0
    for name, text in book_pages(load_catalogue(), DETECTORS, load_guide()):
        (folder / name).write_text(text, encoding="utf-8")
        written += 1
    for name in image_files():
        (folder / FOLDER / name).write_bytes(image_bytes(name))
    return written


def book_pages(
    catalogue: Mapping[str, Pattern], detectors: Mapping[str, Detector], guide: Guide,
    probes: Probes | None = None,
) -> Iterator[tuple[str, str]]:
    """File name and text of every page; patterns follow each other by their codes."""
    known = pages() if probes is None else probes
    patterns = dict(sorted(catalogue.items(), key=lambda entry: order_of(entry[1].code)))
    coded = coded_patterns(patterns.values())
    yield INDEX, index_page(patterns, detectors, guide, known)
    for pattern in patterns.values():
        yield page_of(pattern.name), pattern_page(pattern, patterns, detectors, guide, known)
    for page in guide.values():
        yield page.file, guide_page(page, coded, guide, known)
    for probe in known.values():
        limits = PROBES[probe.name].limits if probe.name in PROBES else {}
        yield probe_file(probe.name), probe_page(probe, patterns, known, limits)
