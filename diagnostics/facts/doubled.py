"""Facts about Gaussians that stand twice: exact copies at one place, and planes along which models were joined."""

from dataclasses import dataclass, replace

import numpy as np

from diagnostics.facts import alike, saved
from diagnostics.measures.coincident import coincident
from diagnostics.measures.seams import Seam, seam_of
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.projection import ALPHA_MIN
from runs.arrays import I64
from runs.checkpoints import Checkpoint

FEWEST_ROWS = 1_000  # two percent of fewer are no plane


@dataclass(frozen=True, eq=False)
class Copies:
    """Visible Gaussians that share all three coordinates with another visible one."""

    rows: I64  # int64, rows of the stored Gaussians
    identical: int  # those of them of which every stored value but the harmonics is another's as well
    of: int  # visible Gaussians


@fact(missing=saved.CHECKPOINT)
def copies(checkpoint: Checkpoint) -> Copies | NotEvaluable | None:
    """None where nothing is visible. Rounded coordinates meet by chance, so files that hold such tell nothing."""
    if alike.is_rounded(checkpoint):
        return NotEvaluable((alike.ROUNDED,))
    gaussians = checkpoint.gaussians
    visible = _visible(checkpoint)
    if not len(visible):
        return None
    rows = visible[coincident(gaussians.means[visible])]
    columns = (gaussians.means, gaussians.log_scales, gaussians.quats_wxyz, gaussians.logit_opacities[:, None], gaussians.sh0)
    values = np.concatenate([column[rows] for column in columns], axis=1)
    return Copies(rows, int(coincident(values).sum()), len(visible))


@fact(missing=saved.CHECKPOINT)
def clearest_seam(checkpoint: Checkpoint) -> Seam | NotEvaluable:
    """Of what is drawn of the last save."""
    if alike.is_rounded(checkpoint):
        return NotEvaluable((alike.ROUNDED,))
    visible = _visible(checkpoint)
    if len(visible) < FEWEST_ROWS:
        return NotEvaluable((f"at least {FEWEST_ROWS:,} Gaussians that are drawn",))
    seam = seam_of(checkpoint.gaussians.means[visible], np.random.default_rng(0))
    return replace(seam, rows=visible[seam.rows])


def _visible(checkpoint: Checkpoint) -> I64:
    """Rows that are finite and opaque enough to be drawn."""
    return np.flatnonzero(checkpoint.gaussians.finite & (checkpoint.gaussians.opacities > ALPHA_MIN))
