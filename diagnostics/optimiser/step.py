"""What one iteration measured, and the form in which it is logged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Parameter groups under the names of INRIA's optimiser, in its order; f_dc and f_rest are the SH coefficients.
INRIA_NAMES: Mapping[str, str] = {
    "means": "xyz", "sh0": "f_dc", "sh_rest": "f_rest", "logit_opacities": "opacity", "log_scales": "scaling",
    "quats_wxyz": "rotation",
}


@dataclass(frozen=True)
class Step:
    """One iteration, as it was rendered: before Adam and before the number of Gaussians changed."""

    iteration: int
    view: str  # camera name
    l1: float
    ssim: float
    psnr: float  # dB, of the trained view
    loss: float
    count: int  # Gaussians
    visible: int  # of them in this view
    sh_degree: int  # trained so far
    learning_rates: Mapping[str, float]  # by parameter group
    milliseconds: float
    gradient_norms: Mapping[str, float] = field(default_factory=dict)  # by parameter group; every metrics_interval
    evaluation: Mapping[str, float] = field(default_factory=dict)  # "train", "test": mean PSNR in dB; at test_iterations
    growth: Mapping[str, float] = field(default_factory=dict)  # cloned, split, pruned, …; where the Gaussians densified
    opacity_reset: bool = False

    def logged(self) -> dict[str, Any]:
        """The row of metrics.jsonl, without its iteration; what was not measured has no key."""
        row = {
            "l1": self.l1, "ssim": self.ssim, "loss": self.loss, "n": self.count, "vis": self.visible,
            "lr_xyz": self.learning_rates["means"], "sh": self.sh_degree, "view": self.view,
        }
        if self.gradient_norms:
            row["psnr"] = self.psnr
            row["gn"] = {INRIA_NAMES[name]: norm for name, norm in self.gradient_norms.items()}
        parts = {"eval": dict(self.evaluation), "densify": dict(self.growth), "reset": self.opacity_reset}
        return {**row, **{key: value for key, value in parts.items() if value}, "ms": self.milliseconds}
