"""The cross-fire matrix: every sick run against every pattern; `python -m tests.diagnostics.crossfire` writes the snapshot."""

from pathlib import Path

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnose import diagnose
from diagnostics.registry import DETECTORS
from tests.diagnostics.fixtures import collected

SNAPSHOT = Path(__file__).with_name("crossfire.txt")
HEAD = "# Sick runs (rows) against patterns (columns): X found, . clear, ? not evaluable\n"


def matrix() -> str:
    """One row per sick run, one column per pattern with a detector, by name."""
    catalogue = {name: pattern for name, pattern in load_catalogue().items() if name in DETECTORS}
    sick = collected("SICK")
    codes = {name: catalogue[name].code for name in sorted(catalogue)}
    width = max(map(len, sick))
    lines = [f"{'':{width}}  {' '.join(codes.values())}"]
    for name in sorted(sick):
        diagnosis = diagnose(sick[name](), catalogue=catalogue)
        found = {reported.pattern.name for reported in diagnosis.findings}
        undecided = {entry.pattern.name for entry in diagnosis.not_evaluable}
        marks = {other: "X" if other in found else "?" if other in undecided else "." for other in codes}
        cells = (marks[other].center(len(code)) for other, code in codes.items())
        lines.append(f"{name:{width}}  {' '.join(cells)}".rstrip())
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    SNAPSHOT.write_text(matrix(), "utf-8")
