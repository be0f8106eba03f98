"""Settings files of the INRIA family: `cfg_args`, a printed argparse Namespace, and plain JSON objects."""

import ast
import warnings
from pathlib import Path
from typing import Any

from runs.advice import FOREIGN
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.small_files import MIB, read_json, read_small
from runs.settings import Setting, Settings

MAX_NESTING = 50


def read_cfg_args(path: Path) -> Settings:
    """The keywords of `Namespace(...)`; a value that is no literal (inf, PosixPath('..')) stays as its source text.

    The text is parsed, never evaluated. Raises UnreadableFile, or RefusedFile above 1 MiB or 50 levels of brackets.
    """
    text = read_small(path, MIB).decode("utf-8", "replace").strip()
    if _nesting(text) > MAX_NESTING:
        raise RefusedFile(f"this settings file has brackets nested deeper than {MAX_NESTING} levels; {FOREIGN}", path)
    try:
        call = _parse(text)
        values = {keyword.arg: _value(keyword.value) for keyword in call.keywords if keyword.arg is not None}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableFile(f"this is not the Namespace(...) text that the trainer writes; {FOREIGN}", path) from error
    return Settings({name: Setting(name, value, path.name) for name, value in values.items()})


def read_settings_json(path: Path) -> Settings:
    """The keys of one JSON object (`opt_args.json`, `args.json`). Raises UnreadableFile or RefusedFile."""
    stored = read_json(path, MIB)
    if not isinstance(stored, dict):
        raise UnreadableFile(f"this settings file holds no JSON object; {FOREIGN}", path)
    return Settings({name: Setting(name, value, path.name) for name, value in stored.items()})


def _nesting(text: str) -> int:
    """Deepest level of brackets, those inside strings included: cheap, and never too low."""
    depth = deepest = 0
    for letter in text:
        if letter in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in ")]}":
            depth -= 1
    return deepest


def _parse(text: str) -> ast.Call:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a hand-edited Windows path has invalid escapes
        call = ast.parse(text, mode="eval").body
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Namespace":
        return call
    raise ValueError(text[:40])


def _value(node: ast.expr) -> Any:
    try:
        return _plain(ast.literal_eval(node))
    except (ValueError, TypeError):
        return ast.unparse(node)


def _plain(value: object) -> Any:
    """The value in the types that JSON has; raises ValueError for the rest (bytes, sets, complex numbers)."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    raise ValueError(type(value).__name__)
