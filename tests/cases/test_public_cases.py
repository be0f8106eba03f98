"""Every public report that we could rebuild gets the verdict it needed, and none that would have sent its author elsewhere."""

from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.diagnose import diagnose
from runs.open_run import open_run
from tests.cases import crashes, curves, folders, places, relocations, saves
from tests.cases.public import PublicCase

CASES = (*curves.CASES, *saves.CASES, *folders.CASES, *crashes.CASES, *places.CASES, *relocations.CASES)
SERIOUS = frozenset(("critical", "major"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_verdict_of_a_public_report(case: PublicCase, tmp_path: Path) -> None:
    """Written to disk, opened and judged as a user's folder is; numbers and places are those of the report."""
    opened = case.build(tmp_path / "case")
    references = tuple(open_run(path) for path in opened.references)
    diagnosis = diagnose(replace(open_run(opened.run, opened.data), references=references))
    found = {reported.pattern.code: reported.severity for reported in diagnosis.findings}
    undecided = {u.pattern.code: u.missing for u in diagnosis.not_evaluable if u.pattern.code in case.must}
    assert case.must <= found.keys(), f"not found: {case.must - found.keys()}; found {found}; undecided {undecided}"
    assert not case.must_not & found.keys(), f"wrongly found: {case.must_not & found.keys()} ({case.why})"
    if case.clean:
        assert not [code for code, severity in found.items() if severity in SERIOUS], found
    if case.check is not None:
        case.check(diagnosis)


def test_each_report_is_rebuilt_once() -> None:
    """Two cases of one name would hide one another's failure."""
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles)
