"""All targets, gathered from the modules below `targets/`."""

import pkgutil
from importlib import import_module

from tests.fuzz import targets
from tests.fuzz.target import Target


def module_names() -> tuple[str, ...]:
    """Of every module that holds targets, in order."""
    return tuple(sorted(f"{targets.__name__}.{module.name}" for module in pkgutil.iter_modules(targets.__path__)))


def targets_of(module: str) -> tuple[Target, ...]:
    """The targets of one module; the module, and with it the parsers, are imported now."""
    return tuple(import_module(module).TARGETS)


def all_targets() -> dict[str, Target]:
    """By name; two targets of one name would share their finds, so that is an error."""
    found: dict[str, Target] = {}
    for module in module_names():
        for target in targets_of(module):
            if target.name in found:
                raise ValueError(f"two fuzz targets are named {target.name}, the second in {module}")
            found[target.name] = target
    return found
