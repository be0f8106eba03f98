"""A sentence that only says what is wrong leaves the user alone with it: each must go on with what to do."""

import ast
import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import runs
from runs.advice import cannot_open
from runs.errors import NotARun, RefusedFile, UnreadableFile

ERRORS = {error.__name__ for error in (NotARun, RefusedFile, UnreadableFile)}
ROOT = Path(runs.__file__).parents[1]
FILES = sorted((ROOT / "runs").rglob("*.py"))


def sentences(source: Path) -> Iterator[str]:
    """Every text that is written where one of our errors is made."""
    names = vars(importlib.import_module(".".join(source.relative_to(ROOT).with_suffix("").parts)))
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
            says = node.args[0]
            if isinstance(says, ast.JoinedStr | ast.Constant):
                yield "".join(texts(says, names))


def texts(says: ast.expr, names: Mapping[str, object]) -> Iterator[str]:
    """The parts that are written there, and the clauses that are written elsewhere once for many sentences."""
    for part in ast.walk(says):
        if isinstance(part, ast.Constant):
            yield str(part.value)
        elif isinstance(part, ast.Name) and isinstance(names.get(part.id), str):
            yield str(names[part.id])


def test_every_error_goes_on_with_what_to_do() -> None:
    """One clause for the trouble, one for the remedy, no full stop: the path follows."""
    found = [says for file in FILES for says in sentences(file)]
    assert len(found) > 40  # else the search itself is broken
    assert [says for says in found if "; " not in says or says.endswith(".")] == []


@pytest.mark.parametrize(("error", "remedy"), [
    (PermissionError(13, "why"), "give your user the right to read it"),
    (FileNotFoundError(2, "why"), "it was moved or deleted: open the run again"),
    (OSError(5, "why"), "check its name and its disk"),
    (OSError("why"), "check its name and its disk"),
])
def test_what_the_system_refuses_has_its_own_remedy(error: OSError, remedy: str) -> None:
    """Permissions, vanished files and dying disks ask for different acts."""
    assert cannot_open(error, "photo") == f"this photo cannot be opened (why); {remedy}"
