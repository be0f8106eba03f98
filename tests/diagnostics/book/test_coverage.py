"""Every code of the lists that the catalogue answers is a pattern or part of one: none was forgotten, none is told twice."""

from diagnostics.book.guide_page import coded_patterns
from diagnostics.catalogue import load_catalogue


def _numbered(prefix: str, last: int, digits: int = 2) -> list[str]:
    return [f"{prefix}-{number:0{digits}d}" for number in range(1, last + 1)]


FAMILIES = {"IF": 6, "DF": 8, "OF": 7, "MF": 6, "CF": 7, "AF": 8, "MF2": 6, "NF": 12}
SIXTY = [code for prefix, last in FAMILIES.items() for code in _numbered(prefix, last)]  # the public guide's runtime failures
CHECKPOINTS = _numbered("CK", 6, 1)  # its checkpoint issues
MONITORS = _numbered("M", 10)  # what it watches
REPORTS = _numbered("N", 38)  # from public failure reports
GRADIENTS = _numbered("TG", 3)  # support collapsed, permanently dead, out of reach


def test_the_lists_are_as_long_as_they_are_said_to_be() -> None:
    assert (len(SIXTY), len(CHECKPOINTS), len(MONITORS), len(REPORTS)) == (60, 6, 10, 38)


def test_every_code_is_a_pattern_or_part_of_one() -> None:
    known = coded_patterns(load_catalogue().values())
    missing = [code for code in (*SIXTY, *CHECKPOINTS, *MONITORS, *REPORTS, *GRADIENTS) if code not in known]
    assert not missing
