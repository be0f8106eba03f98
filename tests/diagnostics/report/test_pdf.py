"""The PDF leaves the house: it must be complete, readable by others, and whole on disk, whatever the names and numbers are."""

import math
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from diagnostics.catalogue import Source
from diagnostics.diagnosis import Diagnosis, Undecided
from diagnostics.evidence import Cancelled
from diagnostics.report import pdf_style as style
from diagnostics.report.pdf import ReportNotWritten, pdf_bytes, write_pdf
from diagnostics.report.report import build_report
from diagnostics.verdict import EvidenceRow, Fix
from runs.notes import Note
from runs.run import Trainer
from tests.diagnostics.report.reading import all_text, fonts, opened, outline, written
from tests.diagnostics.report.support import PATTERN, diagnosis, pattern, reported, training_run

NASTY = 'Réunion 中文 <b>&amp;</b> "q" \x07 \udce9 Ж\ttab\nline 😀'
LONG_PATH = ("/data/" + "averyveryverylongfoldername_" * 200)[:4000]


def laid_out(diagnosed: Diagnosis) -> bytes:
    return pdf_bytes(build_report(diagnosed, made_at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC)))


def monster() -> Diagnosis:
    """Every text field at a length and with characters that nobody planned for."""
    odd = replace(
        PATTERN, title=NASTY, code="N-99", limits={"limit" * 60: NASTY * 40},
        sources=(Source(NASTY, "javascript:alert(1)"), Source("long", 'https://example.org/?a="<b>&' + "x" * 2000)))
    found = reported(
        odd, says="s" * 3000, cause="c" * 5000, cameras=tuple(f"{NASTY}_{index}.png" for index in range(100)),
        evidence=(EvidenceRow("w" * 4000, math.nan, math.nan, "furlongs per fortnight" * 9, 5, LONG_PATH),
                  EvidenceRow(NASTY, None), EvidenceRow("x", "v" * 9000, math.inf, "", 10**12, LONG_PATH)),
        fixes=(Fix("d" * 6000, "e" * 6000, "s" * 500, ["a" * 3000], {"x": 1}),))
    run = training_run(
        path=Path(LONG_PATH), data=Path(LONG_PATH), trainer=Trainer(NASTY, 0.5, "w" * 2000),
        settings={"k" * 400: "v" * 9000, NASTY: NASTY, "lr": math.nan})
    return diagnosis(found, reported(), run=run, notes=(Note(LONG_PATH, NASTY * 40),),
                     not_evaluable=(Undecided(odd, (NASTY, "m" * 3000)),))


@pytest.fixture(scope="module")
def three() -> bytes:
    return laid_out(diagnosis(
        reported(), reported(pattern(1), severity="critical", gaussians=None, iterations=None),
        reported(pattern(2), severity="minor", consequence_of=("AF-01",))))


def test_a_reader_finds_everything_in_it(three: bytes) -> None:
    """Each part of the diagnosis must be in the text, because a report is searched and quoted."""
    text = all_text(opened(three)).replace("\N{NO-BREAK SPACE}", " ")
    for told in ("garden", "60 of 400 Gaussians (15 %) float", "MAJOR", "CRITICAL", "MINOR", "24.31 dB",
                 "opacity_reset_interval: 400 → 200",
                 "healthy runs of the calibration set stay below 2 %", "Floaters fade within 500 iterations",
                 "A consequence of AF-01 Floaters",
                 "From this follows N-02, made-up pattern 2", "photos (pass --data)", "the last record is cut off", "opacity_lr",
                 "trainer default, not stored", "numba", "SHA-256", "inria (90 % sure: cfg_args", "Iteration 1,500, camera view_",
                 "opacity reset at 400, 800", "repo-sam.inria.fr", "2026-03-01 12:00"):
        assert told in text, told


def test_pages_are_numbered_and_bookmarked(three: bytes) -> None:
    """Outline, page references in the table and "n of m" agree with where things are."""
    reader = opened(three)
    total = len(reader.pages)
    assert [page.extract_text().count(f"{index} of {total}") for index, page in enumerate(reader.pages, 1)] == [1] * total
    entries = dict(outline(reader))
    assert list(entries) == [
        "Summary", "The run", "Findings", "AF-01 Floaters", "N-01 Made-up pattern 1", "N-02 Made-up pattern 2",
        "Looked for and not found", "Not evaluable", "Notes on reading the run", "Settings", "How this report was made"]
    first = " ".join(reader.pages[0].extract_text().split())
    for title in ("Floaters", "Made-up pattern 1", "Made-up pattern 2"):
        page = next(number for entry, number in entries.items() if entry.endswith(title))
        assert title in reader.pages[page - 1].extract_text()
        assert any(f"{title} {span} 80\N{NO-BREAK SPACE}% {page}" in first or f"{title} {span} 80 % {page}" in first
                   for span in ("900–1,500", "0–1,500"))


def test_every_font_is_embedded_and_subset(three: bytes) -> None:
    """A report must look the same on a machine without our fonts, and not weigh three megabytes for it."""
    found = fonts(opened(three))
    assert len(found) == 3
    assert all(found.values())
    assert all(name[7] == "+" for name in found)
    assert len(three) < 1_000_000


def test_the_document_says_what_it_is(three: bytes) -> None:
    """Metadata and paper size, for archives and printers."""
    reader = opened(three)
    assert reader.metadata is not None
    assert (reader.metadata.title, reader.metadata.author) == ("Diagnosis of garden", "Splat Doctor")
    assert {tuple(map(round, page.mediabox[2:])) for page in reader.pages} == {(595, 842)}
    assert str(reader.trailer["/Root"]["/Lang"]) == "en"


def test_nothing_runs_out_of_the_page_at_any_length() -> None:
    """4,000 characters without a space, code points without glyphs, markup in names: all inside the margins, none lost."""
    reader = opened(laid_out(monster()))
    left, right = style.MARGIN - 0.5, style.PAGE[0] - style.MARGIN + 0.5
    outside = [(number, piece) for number, page in enumerate(reader.pages, 1) for piece in written(page)
               if piece.right > piece.left and not (left <= piece.left and piece.right <= right and 20 < piece.base < 830)]
    assert outside == []
    text = "".join("".join(page.extract_text() for page in reader.pages).split())
    assert text.count("v" * 40) >= 9000 // 70
    for told in ("‹U+4E2D›", "‹U+0007›", "‹U+DCE9›", "<b>&amp;</b>", "‹U+1F600›", "notavailable", "javascript:alert(1)"):
        assert told in text, told
    links = [str(note.get_object().get("/A", "")) for page in reader.pages for note in page.get("/Annots", [])]
    assert len(links) >= 3
    assert not any("javascript" in link for link in links)


def test_a_long_path_is_there_to_its_last_character() -> None:
    """Wrapping must not swallow a character where lines break."""
    path = "/data/" + "".join(f"{index:04d}" for index in range(980))
    reader = opened(laid_out(diagnosis(run=training_run(path=Path(path)))))
    assert path.lstrip("/") in "".join("".join(page.extract_text() for page in reader.pages[:2]).split())


def test_no_findings_is_said_and_not_left_blank() -> None:
    """A clean result needs a sentence; a missing chapter could be a fault of the report."""
    reader = opened(laid_out(diagnosis()))
    text = all_text(reader)
    assert "It reports no finding." in text
    assert "Findings" not in dict(outline(reader))


def test_sixty_findings_each_have_a_bookmark() -> None:
    """The list splits over pages, and every link still leads to its finding."""
    many = tuple(reported(pattern(index), gaussians=None) for index in range(1, 61))
    reader = opened(laid_out(diagnosis(*many)))
    entries = dict(outline(reader))
    for index in range(1, 61):
        page = entries[f"N-{index:02d} Made-up pattern {index}"]
        assert f"{index}. Made-up pattern {index}" in reader.pages[page - 1].extract_text()


def test_an_empty_run_still_gives_a_report() -> None:
    """Nothing but a folder: everything missing reads "not available"."""
    run = training_run(series={}, checkpoints={}, cameras=(), settings={}, defaults={})
    text = all_text(opened(laid_out(diagnosis(reported(gaussians=None), run=run))))
    assert text.count("not available") >= 6
    assert "holds no saved Gaussians" in text


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """A report that is stopped half way leaves the old one, and no litter."""
    target = tmp_path / "Bericht für Jürgen.pdf"
    target.write_bytes(b"the old one")
    told: list[tuple[float, str]] = []

    def stop(fraction: float, text: str) -> None:
        told.append((fraction, text))
        if fraction >= 0.9:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_pdf(diagnosis(reported()), target, progress=stop)
    assert target.read_bytes() == b"the old one"
    assert [fraction for fraction, _ in told] == sorted(fraction for fraction, _ in told)
    write_pdf(diagnosis(reported()), target)
    assert opened(target.read_bytes()).pages
    assert os.listdir(tmp_path) == [target.name]


def test_where_it_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    """One sentence with the path, at once and not after a minute of rendering."""

    def never(fraction: float, text: str) -> None:
        raise AssertionError(f"{fraction} {text}")

    with pytest.raises(ReportNotWritten, match=r"does not exist.*missing$"):
        write_pdf(diagnosis(), tmp_path / "missing" / "report.pdf", progress=never)
    with pytest.raises(ReportNotWritten, match="this is a folder"):
        write_pdf(diagnosis(), tmp_path, progress=never)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    """The sentence says what to do, not errno 13."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ReportNotWritten, match="no permission"):
            write_pdf(diagnosis(), tmp_path / "report.pdf")
    finally:
        tmp_path.chmod(0o700)


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system's refusal is passed on with the path, and the half-written file is gone."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReportNotWritten, match=r"No space left on device.*report\.pdf$"):
        write_pdf(diagnosis(), tmp_path / "report.pdf")
    assert os.listdir(tmp_path) == []
