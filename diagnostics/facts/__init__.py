"""Facts drawn from a run, by name; importing this package registers every one of them."""

from diagnostics.registry import import_all

import_all(__name__, __path__)
