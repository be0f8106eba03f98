"""Troubles of mixtures of experts and of SLAM that logs and trajectories show; nobody has verified any of them."""

import numpy as np

from diagnostics.facts.novel_series import Drift, ExpertUse
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent


@detects("expert-collapse")
def expert_collapse(expert_use: ExpertUse, *, one: float = 0.9, idle: float = 0.1, many: float = 0.5) -> Finding | None:
    """One expert does nearly all the work, or half of them next to none."""
    used = expert_use.late.mean(axis=0)
    lazy = float(np.mean(used < idle / len(used)))
    if used.max() <= one and lazy < many:
        return None
    last = int(expert_use.iterations[-1])
    return Finding(
        f"Of {len(used)} experts number {int(used.argmax())} does {percent(float(used.max()))} of the work, and "
        f"{percent(lazy)} of them do less than a tenth of an equal share",
        evidence=(
            EvidenceRow("largest share of one expert, mean of the second half", float(used.max()), one, "share", last,
                        expert_use.source),
            EvidenceRow("experts below a tenth of an equal share", lazy, many, "share", last, expert_use.source),
        ),
        iterations=(int(expert_use.iterations[len(expert_use.iterations) // 2]), last), confidence=0.6,
        facts={"experts": len(used)},
    )


@detects("router-instability")
def router_instability(expert_use: ExpertUse, *, moved: float = 0.3) -> Finding | None:
    """Late in training the router still hands the work to other experts from log to log."""
    steps = np.abs(np.diff(expert_use.late, axis=0)).sum(axis=1) / 2
    change = float(steps.mean())
    if change <= moved:
        return None
    last = int(expert_use.iterations[-1])
    return Finding(
        f"In the second half of the range {percent(change)} of the work changes its expert from one logged step to the next",
        evidence=(
            EvidenceRow("work that changes its expert between logged steps, mean of the second half", change, moved, "share",
                        last, expert_use.source),
            EvidenceRow("experts", expert_use.shares.shape[1], None, "experts", last, expert_use.source),
        ),
        iterations=(int(expert_use.iterations[len(expert_use.iterations) // 2]), last), confidence=0.6,
        facts={"change": percent(change)},
    )


@detects("slam-drift")
def slam_drift(drift: Drift, *, of_length: float = 0.02, grows: float = 2.0) -> Finding | None:
    """The error of the camera's places is much of the path, and grows along it."""
    _, half, _, whole = drift.errors
    share = whole / drift.length
    growth = whole / half if half > 0 else float(share > of_length) * grows
    if share <= of_length or growth < grows:
        return None
    return Finding(
        f"After alignment the estimated places of the camera are {whole:.3g} world units from the true ones (root mean square), "
        f"{percent(share)} of the path, and {growth:.1f} times as far as over its first half",
        evidence=(
            EvidenceRow("error of all frames / length of the path", share, of_length, "share", drift.frames, drift.source),
            EvidenceRow("the same error / that of the first half", growth, grows, "", drift.frames, drift.source),
            *(EvidenceRow(f"error of the first {what}", error, None, "world units", drift.frames, drift.source)
              for what, error in zip(("quarter", "half", "three quarters"), drift.errors, strict=False)),
        ),
        iterations=(drift.frames // 2, drift.frames), confidence=0.7, facts={"share": percent(share)},
    )
