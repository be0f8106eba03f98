"""Lines that trainers print while they train, and what each says: one table, trainer by trainer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runs.events import EventKind

NUMBER = r"([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))"
COUNT = r"(\d[\d,]{0,14})"
PLAIN = r"(\d{1,15})"


@dataclass(frozen=True)
class Said:
    """A number in a line: the name that it stands for in an event's fields, and where it is exact, in a series."""

    name: str
    factor: float = 1.0
    series: bool = True
    later: int = 0  # iterations after that of the line: a count taken after densifying is what the next one starts from


@dataclass(frozen=True)
class Phrase:
    """A line by its pattern; the groups after the first (its number, unless `timeless`) are told in order."""

    pattern: re.Pattern[str]
    says: Sequence[Said]
    event: EventKind | None = None
    first: int = 1  # the number that the trainer gives its first iteration
    timeless: bool = False  # the line does not say when


def phrase(pattern: str, *says: Said, event: EventKind | None = None, first: int = 1, timeless: bool = False) -> Phrase:
    return Phrase(re.compile(pattern), says, event, first, timeless)


NOW = Said("num_gaussians", later=1)

# A line begins the pattern where the trainer prints it alone; what stands in front may be a logger's time and level.
PHRASES: Sequence[Phrase] = (
    # gsplat's strategies with `verbose`: steps count from 0
    phrase(rf"Step {PLAIN}: {PLAIN} GSs duplicated, {PLAIN} GSs split\. Now having {PLAIN} GSs",
           Said("densify/cloned"), Said("densify/split"), Said("num_gaussians", series=False), event="densify", first=0),
    phrase(rf"Step {PLAIN}: {PLAIN} GSs pruned\. Now having {PLAIN} GSs", Said("densify/pruned"), NOW, event="densify", first=0),
    phrase(rf"Step {PLAIN}: Relocated {PLAIN} GSs", Said("densify/relocated"), event="densify", first=0),
    phrase(rf"Step {PLAIN}: Added {PLAIN} GSs\. Now having {PLAIN} GSs", Said("densify/added"), NOW, event="densify", first=0),
    # gsplat's simple_trainer; each process prints the count of its own part, so it makes no series
    phrase(rf"Step: +{PLAIN} \{{'mem': {NUMBER}, 'ellipse_time': [^,]{{1,40}}, 'num_GS': {PLAIN}\}}",
           Said("vram", 1024.0, series=False), Said("num_gaussians", series=False), event="checkpoint", first=0),
    phrase(rf"PSNR: {NUMBER}, SSIM: {NUMBER}, LPIPS: {NUMBER} ?,? Time: ",
           *(Said(f"test/{name}", series=False) for name in ("psnr", "ssim", "lpips")), event="evaluation", timeless=True),
    # nerfstudio's console table: "7000 (23.33%)       25.123 ms            9 m, 35 s", the mean of the last iterations
    phrase(rf"^{PLAIN} \(\d{{1,3}}\.\d+%\) +{NUMBER} ms\b", Said("iter_time"), first=0),
    # LichtFeld-Studio
    phrase(rf"{COUNT}/[\d,]{{1,15}} \| Loss: {NUMBER} \| Splats: {COUNT}", Said("loss/total"), Said("num_gaussians")),
    phrase(rf"PSNR: {NUMBER}, SSIM: {NUMBER}, Time: ", Said("test/psnr", series=False), Said("test/ssim", series=False),
           event="evaluation", timeless=True),
    # Brush
    phrase(rf"Refine iter {PLAIN}, {PLAIN} splats", Said("num_gaussians"), event="densify"),
    phrase(rf"Eval iter {PLAIN}: PSNR {NUMBER}, ssim {NUMBER}", Said("test/psnr"), Said("test/ssim"), event="evaluation"),
    # OpenSplat
    phrase(rf"^Step {PLAIN}: {NUMBER}(?: \(\d{{1,3}}%\))?$", Said("loss/total")),
    # 3DGRUT, gaussian-splatting-lightning
    phrase(rf"Step {PLAIN} -- Running validation", event="evaluation"),
    phrase(rf"Gaussians saved to .{{0,500}}iteration_{PLAIN}", event="save"),
    phrase(rf"Checkpoint saved to .{{0,500}}step={PLAIN}", event="checkpoint"),
    # MonoGS and SplaTAM, at the end
    phrase(rf"mean psnr: {NUMBER}, ssim: {NUMBER}, lpips: {NUMBER}",
           *(Said(f"test/{name}", series=False) for name in ("psnr", "ssim", "lpips")), event="evaluation", timeless=True),
    phrase(rf"^Average PSNR: {NUMBER}", Said("train/psnr", series=False), event="evaluation", timeless=True),
    phrase(rf"^Average MS-SSIM: {NUMBER}", Said("train/ms_ssim", series=False), event="evaluation", timeless=True),
    phrase(rf"^Average LPIPS: {NUMBER}", Said("train/lpips", series=False), event="evaluation", timeless=True),
    # Grendel: every process writes the same losses, but counts its own part
    phrase(rf"iteration\[{PLAIN},\d{{1,15}}\) .{{0,40}}Now num of 3dgs: {PLAIN}\. Now Memory usage: {NUMBER} GB\. "
           rf"Max Memory usage: {NUMBER} GB",
           NOW, Said("vram_now", 1024.0, series=False), Said("vram", 1024.0), event="densify"),
)
# A word that every line of the table holds: a cheap look before eleven patterns are tried.
SIGN = re.compile(r"Step|PSNR|psnr|\| Loss: |% ?\) |iter \d|ved to |iteration\[|^Average ")

# What a progress bar shows behind its rate: name there -> canonical. INRIA's and 2DGS's losses are smoothed.
POSTFIX: Mapping[str, str] = {
    "loss": "loss/total_ema", "depth loss": "loss/depth_ema", "distort": "loss/dist_ema", "normal": "loss/normal_ema",
    "points": "num_gaussians", "point": "num_gaussians", "n": "num_gaussians",
}


@dataclass(frozen=True)
class Spoken:
    """What one line says. `iteration`: iterations done, None where the line does not tell."""

    iteration: int | None
    event: EventKind | None
    fields: Mapping[str, float]
    series: Sequence[tuple[str, int, float]] = field(default=())  # name, iteration, value


def spoken(line: str) -> Spoken | None:
    """None for a line that is none of the table."""
    if not SIGN.search(line):
        return None
    for known in PHRASES:
        if match := known.pattern.search(line):
            return _read(known, match.groups())
    return None


def _read(known: Phrase, groups: tuple[str, ...]) -> Spoken:
    values = [float(text.replace(",", "")) for text in groups]
    iteration = None if known.timeless else int(values.pop(0)) + 1 - known.first
    told = list(zip(known.says, values, strict=True))
    fields = {said.name: value * said.factor for said, value in told}
    series = () if iteration is None else tuple(
        (said.name, iteration + said.later, value * said.factor) for said, value in told if said.series
    )
    return Spoken(iteration, known.event, fields, series)
