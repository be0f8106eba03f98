"""Options of TruncGradGS: gradients that reach further, for Gaussians that no pixel shows any more.

After the paper (arXiv 2609.03534, Pacific Graphics 2026) and the numbers of its published code. Iterations are those of a
training of 30,000 and are scaled with the length of the training at hand.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from render.raster.truncated import CODE_CONTOUR, PAPER_CONTOUR

LENGTH: Final = 30_000  # iterations, that the schedule is told for
# Mean longer side of the seven Mip-NeRF 360 scenes that the paper trains on, at a quarter (outdoors) and half (indoors) size.
PAPER_PICTURE_PX: Final = 1_430.0


@dataclass(frozen=True)
class TruncGrad:
    """What is done, each part with a switch of its own. Raises ValueError, with one sentence, for a value that means nothing."""

    # The surrogate of the gradient of a projected centre.
    tail: bool = True
    contour: float = CODE_CONTOUR  # squared Mahalanobis distance at which the tail begins
    slope: float = 1e-7  # by which it falls per unit of it, × pull
    pulls: tuple[float, ...] = (3.0, 2.0, 1.0)  # in as many equal parts of the training
    dead_filter: bool = True  # only for Gaussians of at most dead_opacity
    dead_opacity: float = 0.01
    sign_filter: bool = True  # only from pixels in which more coverage would lower the loss
    padding: bool = True  # round the boxes of dead Gaussians
    padding_px: float = 96.0
    padded_below_px: float = 32.0  # only where the radius is smaller
    of_picture_px: float = PAPER_PICTURE_PX  # both are for pictures of this longer side and scaled from it; 0: never scaled
    # What the code adds for pairs of a dead Gaussian and a pixel that is not blended.
    opacity_gradients: bool = True
    colour_gradients: bool = True

    # The schedule.
    quiet_after_reset: int = 100  # iterations without surrogate after an opacity reset
    interleaved: bool = True  # phases of growth and of surrogates; else both all the time
    switches: tuple[int, ...] = (3_150, 8_150, 11_300, 16_300, 19_450, 24_450, 25_000)  # growth first, then one after the other
    split_every: int = 2  # densification intervals between splits of large Gaussians in the phases of surrogates; 0 for none
    delayed_pruning: bool = True
    prune_after: int = 20_000
    densify_until: int = 27_000  # taken over into the settings by `phases.in_truncgrad`

    def __post_init__(self) -> None:
        for name in ("contour", "slope", "padding_px", "padded_below_px", "of_picture_px", "quiet_after_reset", "split_every"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)!r}, it must be a finite number of at least 0")
        if not 0 < self.dead_opacity < 1:
            raise ValueError(f"dead_opacity is {self.dead_opacity!r}, it must be above 0 and below 1")
        if not self.pulls or list(self.switches) != sorted(set(self.switches)):
            raise ValueError("pulls must name at least one number, and switches rise")

    @classmethod
    def of_code(cls, **changes: Any) -> "TruncGrad":
        """As the published code does it."""
        return cls(**changes)

    @classmethod
    def of_paper(cls, **changes: Any) -> "TruncGrad":
        """As the paper tells it; where it gives no number, the code's stands."""
        paper: dict[str, Any] = {
            "contour": PAPER_CONTOUR, "pulls": (1.0,), "dead_opacity": 0.005, "opacity_gradients": False,
            "colour_gradients": False, "quiet_after_reset": 0,
        }
        return cls(**{**paper, **changes})

    @classmethod
    def off(cls) -> "TruncGrad":
        """Every switch off: a training with it is one without."""
        return replace(cls().without_surrogate(), interleaved=False, delayed_pruning=False)

    def without_surrogate(self) -> "TruncGrad":
        """Phases and pruning alone: what the schedule does by itself."""
        return replace(self, tail=False, opacity_gradients=False, colour_gradients=False)

    @property
    def has_surrogate(self) -> bool:
        return self.tail or self.opacity_gradients or self.colour_gradients

    def as_mapping(self) -> dict[str, Any]:
        """By name, as a recorder gets them."""
        return {f"truncgrad_{name}": value for name, value in asdict(self).items()}


