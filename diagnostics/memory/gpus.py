"""GPUs by name with the size of their memory, and whether a training fits into one."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from diagnostics.memory.fits import GIB

# Beside what PyTorch allocates, the CUDA context and blocks that its allocator keeps take up room: half a GiB to two, by rule
# of thumb (magnitude not verified; readings of whole processes were 1.3-4.6 GiB above those of the allocator).
BESIDE_LEAST, BESIDE_MOST = 0.5 * GIB, 2.0 * GIB
Fits = Literal["fits", "tight", "too small"]


@dataclass(frozen=True)
class Gpu:
    """One model of card."""

    name: str
    gib: float  # as sold; the driver keeps a little of it for itself
    source: str = ""

    @property
    def bytes(self) -> float:
        return self.gib * GIB


@cache
def known_gpus() -> tuple[Gpu, ...]:
    """resources/memory/gpus.toml, the smallest memory first."""
    told = tomllib.loads((files("resources") / "memory" / "gpus.toml").read_text("utf-8"))
    sources: Mapping[str, str] = told["sources"]
    return tuple(sorted((Gpu(g["name"], g["gib"], sources[g["source"]]) for g in told["gpu"]), key=lambda g: (g.gib, g.name)))


def gpu_named(text: str) -> Gpu | None:
    """By a size in GiB ("24", "24 GiB") or a name, whatever its case and maker; the shortest name that holds all its words.

    None where no card has them.
    """
    size = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,3})?)\s*(?:gi?b?)?\s*", text, re.IGNORECASE)
    if size is not None and float(size[1]) > 0:
        return Gpu(f"{float(size[1]):g} GiB", float(size[1]), "as given")
    words = _words(text)
    fitting = [gpu for gpu in known_gpus() if words and words <= _words(gpu.name)]
    return min(fitting, key=lambda gpu: (len(gpu.name), gpu.gib), default=None)


def fits(needed: float, capacity: float) -> Fits:
    """Bytes that training allocates at its peak, against the whole memory of a card."""
    if needed + BESIDE_LEAST > capacity:
        return "too small"
    return "fits" if needed + BESIDE_MOST <= capacity else "tight"


def _words(name: str) -> frozenset[str]:
    apart = re.sub(r"([rg]tx)(\d)|(\d)(gi?b|ti|super)\b", r"\1\3 \2\4", name.lower())
    return frozenset(re.findall(r"[a-z0-9]+", apart)) - {"nvidia", "geforce", "quadro", "tesla"}
