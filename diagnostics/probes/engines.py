"""Which renderer a probe draws with: the CPU's everywhere, gsplat's where there is a CUDA device."""

from dataclasses import dataclass
from functools import partial

from diagnostics.optimiser.optimiser import Engine
from diagnostics.probes.bench import EngineName, OutOfReach
from render.raster import cuda, differentiable


@dataclass(frozen=True)
class Chosen:
    """A renderer and its name."""

    name: str  # "cpu" or "cuda"
    render: Engine


def chosen_engine(wanted: EngineName, threads: int = 1) -> Chosen:
    """Raises OutOfReach where CUDA is wanted and not there; "auto" takes it where it is."""
    if wanted == "cpu":
        return _cpu(threads)
    try:
        cuda.check()
    except cuda.CudaMissing as error:
        if wanted == "cuda":
            raise OutOfReach(str(error)) from error
        return _cpu(threads)
    return Chosen("cuda", cuda.render)


def _cpu(threads: int) -> Chosen:
    return Chosen("cpu", partial(differentiable.render, threads=threads))
