"""Which series go on which chart: families share an axis, and a few are shown until the user chooses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runs.series import Series

# The first name of each row that the run holds is shown by default; a row with none of them says "not available".
DEFAULTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Loss": (("loss/total", "loss/l1", "loss/total_ema"),),
    "PSNR": (("test/psnr",), ("train/psnr", "view/psnr")),
    "Gaussians": (("num_gaussians",),),
}
FAMILY_TITLES: Mapping[str, str] = {
    "loss": "Loss", "psnr": "PSNR", "ssim": "SSIM", "lpips": "LPIPS", "l1": "L1 on evaluated views", "num_gaussians": "Gaussians",
    "visible": "Gaussians", "iter_time": "Iteration time", "lr": "Learning rate", "sh_degree": "Active SH degree",
    "grad_norm": "Gradient norm", "densify": "Densification", "vram": "GPU memory",
}
HIDDEN = ("opacity_reset", "train/view")  # shown as marks, or not a curve


@dataclass(frozen=True, eq=False)
class ChartSpec:
    """One chart: series that share a unit, or none with the reason why."""

    title: str
    series: tuple[Series, ...]

    @property
    def unit(self) -> str:
        return self.series[0].unit if self.series else ""


def family(name: str) -> str:
    """The title of the chart that a series belongs to."""
    head, _, tail = name.partition("/")
    key = tail if head in ("test", "train", "view") else head
    return FAMILY_TITLES.get(key, head)


def choosable(series: Mapping[str, Series]) -> tuple[str, ...]:
    """Names that can be plotted, by family, then by name."""
    names = (n for n, s in series.items() if n not in HIDDEN and not s.labels)
    return tuple(sorted(names, key=lambda name: (family(name), name)))


def default_choice(series: Mapping[str, Series]) -> tuple[str, ...]:
    """What is plotted before the user chooses."""
    rows = [row for rows in DEFAULTS.values() for row in rows]
    return tuple(next(name for name in row if name in series) for row in rows if any(name in series for name in row))


def charts(series: Mapping[str, Series], chosen: Iterable[str]) -> tuple[ChartSpec, ...]:
    """The charts for the chosen names; the default charts come first and stay, even when the run holds nothing for them."""
    wanted = [name for name in chosen if name in series]
    titles = dict.fromkeys([*DEFAULTS, *(family(name) for name in wanted)])
    specs = [ChartSpec(title, tuple(series[name] for name in wanted if family(name) == title)) for title in titles]
    return tuple(spec for spec in specs if spec.series or not _any_of(spec.title, series))


def _any_of(title: str, series: Mapping[str, Series]) -> bool:
    """Whether the run holds a series that could fill the chart; then its absence is the user's own choice."""
    return any(family(name) == title for name in choosable(series))
