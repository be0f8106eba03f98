"""Troubles of scenes that move, judged only on runs of such methods; nobody has verified any of them."""

from diagnostics.facts.novel_moving import Frame, Moments
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent


@detects("deformation-mlp-nan")
def deformation_nan(moments: Moments, *, rows: int = 1) -> Finding | None:
    """The deformation makes something else than numbers of Gaussians that are finite as saved."""
    told = moments
    bad = len(told.bad_rows)
    if bad < rows:
        return None
    worst = max(range(len(told.times)), key=lambda i: told.bad_at[i])
    return Finding(
        f"{bad:,} of {told.sampled:,} sampled Gaussians that are finite as saved are not after the deformation, most at the "
        f"moment {told.times[worst]:.2f} ({told.bad_at[worst]:,})",
        evidence=(
            EvidenceRow("sampled Gaussians that the deformation makes not finite", bad, rows - 1, "Gaussians", told.iteration,
                        told.source),
            EvidenceRow("share of the sample", bad / told.sampled, None, "share", told.iteration, told.source),
            *(EvidenceRow(f"at the moment {time:.2f}", count, None, "Gaussians", told.iteration, told.source)
              for time, count in zip(told.times, told.bad_at, strict=True)),
        ),
        iterations=(told.iteration, told.iteration), gaussians=GaussianPlace(told.bad_rows, told.iteration, told.of),
        confidence=0.7, facts={"moment": f"{told.times[worst]:.2f}", "iteration": told.iteration},
    )


@detects("static-parts-deform")
def static_parts_deform(moments: Moments, *, amplitude: float = 0.02, rigid: float = 0.9) -> Finding | None:
    """The whole scene moves as one: whatever stands still in it is moved along."""
    told = moments
    if told.amplitude <= amplitude or told.rigid <= rigid:
        return None
    return Finding(
        f"Between two moments half of the Gaussians move by {percent(told.amplitude)} of the scene's size or more, and one "
        f"motion of the whole scene explains {percent(told.rigid)} of that: nothing in it stands still",
        evidence=(
            EvidenceRow("median displacement / the distance within which 95 % lie", told.amplitude, amplitude, "share",
                        told.iteration, told.source),
            EvidenceRow("displacement that one motion of the whole scene explains", told.rigid, rigid, "share", told.iteration,
                        told.source),
        ),
        iterations=(told.iteration, told.iteration), confidence=0.5, facts={"rigid": percent(told.rigid)},
    )


@detects("simulation-diverges")
def simulation_diverges(frames: tuple[Frame, ...], *, grown: float = 10.0, lost: float = 0.01) -> Finding | None:
    """A simulated body bursts, or part of it is no place any more."""
    first = frames[0]
    sick = [frame for frame in frames if frame.bad > lost * frame.of or frame.reach > grown * first.reach]
    if not sick:
        return None
    start, last = sick[0], frames[-1]
    return Finding(
        f"At frame {start.number:,} the points reach {start.reach / first.reach:.3g} times as far as at frame {first.number:,}, "
        f"and {start.bad:,} of {start.of:,} are no places any more",
        evidence=(
            EvidenceRow("reach / that of the first frame", start.reach / first.reach, grown, "", start.number, start.source),
            EvidenceRow("points that are not finite", start.bad / start.of, lost, "share", start.number, start.source),
            EvidenceRow("the same at the last frame", last.bad / last.of, lost, "share", last.number, last.source),
        ),
        iterations=(start.number, last.number), confidence=0.7, facts={"frame": start.number},
    )
