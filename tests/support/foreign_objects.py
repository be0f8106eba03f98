"""Objects of classes that only a trainer has, so that pickles name them as its own would."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def foreign_classes(*names: str) -> Iterator[tuple[type, ...]]:
    """Classes under dotted names, importable inside the block and gone after it."""
    made: dict[str, ModuleType] = {}
    classes = []
    for name in names:
        module, _, last = name.rpartition(".")
        for end in range(1, module.count(".") + 2):  # importing a module imports those around it
            around = ".".join(module.split(".")[:end])
            made.setdefault(around, ModuleType(around)).__path__ = []
        found = type(last, (), {"__module__": module})
        setattr(made[module], last, found)
        classes.append(found)
    try:
        sys.modules.update(made)
        yield tuple(classes)
    finally:
        for module in made:
            del sys.modules[module]


def filled(kind: type, **attributes: Any) -> Any:
    """An instance with these attributes."""
    found = kind()
    vars(found).update(attributes)
    return found
