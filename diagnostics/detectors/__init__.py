"""One judge per failure pattern; importing this package registers every one of them, after the facts they ask for."""

import diagnostics.facts  # noqa: F401  (detectors name facts, which must be there first)
from diagnostics.registry import import_all

import_all(__name__, __path__)
