"""YAML settings files with Python tags, read as plain values: nothing that a tag names is built, imported or run."""

from pathlib import Path
from typing import Any

import yaml

from runs.advice import FOREIGN, UNTRUSTED
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.small_files import read_small

LARGEST_BYTES = 256 * 1024  # a trainer's settings take a few kilobytes
MOST_NODES = 50_000  # with aliases written out: a small file can stand for billions of values
DEEPEST = 50
TAG = "!python"  # key of a mapping under which the name of its Python class is kept
PYTHON = "tag:yaml.org,2002:python/"
MERGE = "tag:yaml.org,2002:merge"
TEXTS = ("timestamp", "binary", "set", "omap", "pairs")  # other kinds of YAML that JSON does not have


def read_yaml(path: Path) -> Any:
    """Mappings, lists, texts, numbers, truth values and None; a mapping with a Python tag tells it under `TAG`.

    Raises UnreadableFile if the text is no YAML, RefusedFile if it is over 256 KiB, nested deeper than 50 levels, refers to
    itself, merges mappings, or stands for more than 50,000 values.
    """
    data = read_small(path, LARGEST_BYTES)
    try:
        loader = _Loader(data)
        try:
            node = loader.get_single_node()
            _check(node, path)
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, OverflowError, TypeError) as error:
        says = " ".join(str(error).split())[:120]
        raise UnreadableFile(f"this settings file is no complete YAML ({says}); {FOREIGN}", path) from error
    except RecursionError as error:
        raise _refused(f"is nested deeper than {DEEPEST} levels", path) from error


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which also takes tags of Python and of rarer kinds for what they look like."""


def _plain(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    """Mapping, list or text, whatever the tag says."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


def _of_python(loader: yaml.SafeLoader, name: str, node: yaml.Node) -> Any:
    """The same; of a mapping the name is kept, of an empty text it is the value."""
    value = _plain(loader, node)
    return {TAG: name, **value} if isinstance(value, dict) else value if value != "" else name


_Loader.add_multi_constructor(PYTHON, _of_python)
for _kind in TEXTS:
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _plain)


def _check(root: yaml.Node | None, path: Path) -> None:
    """Refuses graphs that would never end or fill the memory once they are written out."""
    known: dict[int, tuple[int, int]] = {}  # by id of a node: values that it stands for, and levels below it; (0, 0) meanwhile

    def measure(node: yaml.Node, depth: int) -> tuple[int, int]:
        if id(node) in known:
            if known[id(node)] == (0, 0):
                raise _refused("refers to itself", path)
            return known[id(node)]
        known[id(node)] = (0, 0)
        below = [measure(part, depth + 1) for part in _parts(node, path)] if depth <= DEEPEST else [(0, DEEPEST)]
        values = 1 + sum(part[0] for part in below)
        levels = 1 + max((part[1] for part in below), default=0)
        if levels > DEEPEST:
            raise _refused(f"is nested deeper than {DEEPEST} levels", path)
        if values > MOST_NODES:
            raise _refused(f"stands for more than {MOST_NODES:,} values", path)
        known[id(node)] = values, levels
        return values, levels

    if root is not None:
        measure(root, 1)


def _parts(node: yaml.Node, path: Path) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        if any(key.tag == MERGE for key, _ in node.value):
            raise _refused("merges mappings, which no trainer writes", path)
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _refused(why: str, path: Path) -> RefusedFile:
    return RefusedFile(f"this settings file {why}; {UNTRUSTED}", path)
