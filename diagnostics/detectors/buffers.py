"""Limits that no amount of memory lifts, and splats so large that one buffer outgrows them."""

from dataclasses import dataclass

from diagnostics.facts import memory as memory_facts  # noqa: F401  (the facts named below)
from diagnostics.memory.cause import BUFFER_BYTES, OVERFLOWED, Crash
from diagnostics.memory.fits import GIB
from diagnostics.memory.forecast import Course
from diagnostics.memory.model import PAIR, Setup, bytes_per_gaussian
from diagnostics.memory.sizes import size_text
from diagnostics.memory.tiles import Footprint
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.strategy import moves_the_dead

SAMPLING = 2**24  # torch.multinomial's largest number of categories
INDEX = 2.0**31  # signed 32-bit count of tile-Gaussian pairs


@dataclass(frozen=True)
class Limit:
    """Something that may only become so large."""

    what: str
    now: float
    most: float
    per_gaussian: float  # what each Gaussian adds

    @property
    def share(self) -> float:
        return self.now / self.most

    @property
    def gaussians(self) -> int:
        """How many reach it."""
        return int(self.most / self.per_gaussian)


@detects("hard-buffer-limit")
def meets_a_limit(
    run: Run, memory_course: Course, memory_setup: Setup, memory_crash: Crash | None = None,
    tile_footprint: Footprint | None = None, checkpoint: Checkpoint | None = None, *, near: float = 0.8,
) -> Finding | None:
    """A buffer or an index is near its largest size, or the error says that it passed it."""
    pairs = None if tile_footprint is None or checkpoint is None else tile_footprint.pairs / checkpoint.count
    if memory_crash is not None and memory_crash.cause == "buffer":
        return _refused(memory_crash, near)
    limits = _limits(run, memory_setup, memory_course.counts.max(), pairs)
    close = max(limits, key=lambda limit: limit.share, default=None)
    if close is None or close.share < near:
        return None
    last = memory_course.known_until
    expected = f" (expected at the end of densification: {memory_course.basis})" if memory_course.basis else ""
    return Finding(
        f"{close.what} comes to {percent(close.share)} of its largest possible size with {memory_course.final:,} Gaussians"
        f"{expected}; {close.gaussians:,} reach it, however much memory the GPU has",
        evidence=(EvidenceRow(f"{close.what} over its limit", close.share, near, "share", last, "num_gaussians"),
                  EvidenceRow("Gaussians at the limit", close.gaussians, None, "count", last, "num_gaussians")),
        iterations=(last, last), confidence=0.6 if memory_course.basis else 0.9,
        severity="info" if memory_course.basis else "minor",
        facts={"most": close.gaussians, "count": memory_course.final},
    )


@detects("screen-covering-splats")
def cover_the_screen(
    memory_setup: Setup, memory_crash: Crash | None = None, tile_footprint: Footprint | None = None,
    checkpoint: Checkpoint | None = None, *, requested: float = 16.0, radius: float = 0.5, pairs: float = 1.0, gib: float = 2.0,
) -> Finding | NotEvaluable | None:
    """One request is far larger than the Gaussians are; or the largest splats cover the picture and their tiles the memory."""
    if memory_crash is not None and memory_crash.cause == "pairs":
        return _exploded(memory_crash, requested)
    if tile_footprint is None or checkpoint is None:
        return NotEvaluable(("the cameras and a saved point cloud, or the text of an out-of-memory error",))
    share = tile_footprint.radius_px / tile_footprint.diagonal_px
    listed = PAIR * tile_footprint.pairs
    held = listed / (checkpoint.count * bytes_per_gaussian(memory_setup))
    if not (share > radius and held > pairs and listed > gib * GIB):
        return None
    return Finding(
        f"In view {tile_footprint.camera} the largest splats reach {share:.1f} times the picture's diagonal, and the pairs of "
        f"tiles and Gaussians take {size_text(listed)}, {held:.1f} times what the Gaussians take",
        evidence=(
            EvidenceRow("99.9th percentile of the radius over the diagonal", share, radius, "", checkpoint.iteration),
            EvidenceRow("bytes of tile pairs over bytes of Gaussians", held, pairs, "", checkpoint.iteration),
            EvidenceRow("tile pairs", listed / GIB, gib, "GiB", checkpoint.iteration),
            EvidenceRow("Gaussians larger than half the picture", tile_footprint.large, None, "share", checkpoint.iteration),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), cameras=(tile_footprint.camera,), severity="minor",
        confidence=0.7, colour_by="max_scale", facts={"pairs": tile_footprint.pairs},
    )


def _limits(run: Run, setup: Setup, count: float, pairs: float | None) -> list[Limit]:
    """Those that this trainer is known to have."""
    found = []
    if run.trainer.name == "brush":
        each = 12 * (setup.sh_degree + 1) ** 2
        found.append(Limit("The buffer of colour gradients", count * each, BUFFER_BYTES, each))
    if moves_the_dead(run) and run.trainer.name == "3dgs-mcmc":
        found.append(Limit("The sampling of Gaussians to relocate", count, SAMPLING, 1))
    if pairs:
        found.append(Limit("The list of tile-Gaussian pairs", count * pairs, INDEX, pairs))
    return found


def _refused(crash: Crash, near: float) -> Finding:
    each = None if crash.requested is None or not crash.count else crash.requested / crash.count
    colours = 12 * (crash.setup.sh_degree + 1) ** 2
    is_colours = each is not None and abs(each / colours - 1) < 0.02
    share = None if crash.requested is None else crash.requested / BUFFER_BYTES
    told = "an index of 32 bits" if share is None else f"one buffer of {crash.requested:,.0f} bytes"
    per = f": {crash.count:,} Gaussians × {colours} bytes of colour gradients" if is_colours else ""
    return Finding(
        f"Training died of {told}{per}, {'beyond' if OVERFLOWED.search(crash.text) else 'at'} the limit of 2,147,483,648 (2³¹), "
        "not for lack of memory",
        evidence=(EvidenceRow("requested over 2³¹", share, near, "share", crash.iteration, crash.source),
                  EvidenceRow("Gaussians", crash.count, None, "count", crash.iteration, crash.source),
                  EvidenceRow("bytes per Gaussian", each, None, "B", crash.iteration, crash.source)),
        iterations=None if crash.iteration is None else (crash.iteration, crash.iteration),
        facts={"most": int(BUFFER_BYTES / (each or colours)), "count": crash.count},
    )


def _exploded(crash: Crash, requested: float) -> Finding:
    each = None if crash.requested_per_gaussian is None else crash.requested_per_gaussian / 1024
    per = "" if each is None else f" with {crash.count:,} Gaussians, {each:,.0f} KiB for each"
    model = bytes_per_gaussian(crash.setup)
    return Finding(
        f"One request of {size_text(crash.requested or 0)}{per}: all tensors of a Gaussian together take {model:,.0f} bytes, so "
        "this is the list of tiles that the splats cover",
        evidence=(EvidenceRow("requested per Gaussian", each, requested, "KiB", crash.iteration, crash.source),
                  EvidenceRow("requested", (crash.requested or 0) / GIB, None, "GiB", crash.iteration, crash.source),
                  EvidenceRow("allocated before", None if crash.allocated is None else crash.allocated / GIB, None, "GiB",
                              crash.iteration, crash.source)),
        iterations=None if crash.iteration is None else (crash.iteration, crash.iteration),
        confidence=0.9 if each is not None else 0.6, facts={"pairs": (crash.requested or 0) / PAIR},
    )
