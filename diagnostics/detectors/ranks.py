"""Faults of trainings on several GPUs. gsplat and Grendel share out the Gaussians, so that counts differ by design."""

from diagnostics.detectors.crash import quoted, told_by
from diagnostics.facts.crash import Failure, final
from diagnostics.facts.ranks import Batch, Parts, Wrapped
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from runs.run import Trainer

# What their loaders take off by themselves (nerfstudio, pipelines/base_pipeline.py load_pipeline).
UNWRAPS_ITSELF = frozenset({"splatfacto"})
LINEAR = "linear"


@detects("rank-gradients-unsynchronised")
def unsynchronised(rank_parts: Parts, *, near: float = 0.3) -> Finding | None:
    """Every process holds the whole scene, and no two hold the same one. Where the scene is shared out, there are no doubles."""
    parts = rank_parts
    if not 0 < parts.nearness < near:
        return None
    return Finding(
        f"The {len(parts.counts)} processes hold the same scene and not the same numbers: a Gaussian's nearest in another "
        f"process is {parts.nearness:.2g} times as far as the nearest in its own, where parts of one scene have about 1",
        evidence=_parts_rows(parts, near), iterations=(parts.iteration, parts.iteration), confidence=0.7,
        facts={"processes": len(parts.counts)},
    )


@detects("ranks-densify-differently")
def densify_differently(rank_parts: Parts, *, near: float = 0.3, apart: float = 0.01) -> Finding | None:
    """Processes that each hold the whole scene have different counts. Processes that share it out should."""
    parts = rank_parts
    spread = max(parts.counts) / min(parts.counts) - 1
    if parts.nearness >= near or spread <= apart:
        return None
    told = ", ".join(f"{count:,}" for count in parts.counts[:8])
    return Finding(
        f"The {len(parts.counts)} processes hold the same scene with different counts: {told}",
        evidence=(EvidenceRow("largest count / smallest - 1", spread, apart, "", parts.iteration, parts.source),
                  *_parts_rows(parts, near)),
        iterations=(parts.iteration, parts.iteration), confidence=0.7,
    )


@detects("dead-worker")
def dead_worker(failures: tuple[Failure, ...], processes: int | None = None, *, errors: int = 1) -> Finding | None:
    """One process waited for another that no longer answered. An error of another kind beside it is the cause, and is told so."""
    failure = final(failures, frozenset({"nccl_error"}))
    if failure is None:
        return None
    waited = failure.event.fields.get("ran_ms")
    killed = [other for other in failure.others if other.kind == "killed"]
    return Finding(
        f"The processes lost each other: “{quoted(failure.says)}”"
        + ("" if waited is None else f", after {waited / 1000:,.0f} s of waiting")
        + ("; one was ended by the system" if killed else ""),
        evidence=(
            *told_by(failure, errors),
            EvidenceRow("processes", processes, None, "processes"),
            EvidenceRow("waited for another process", None if waited is None else waited / 1000, None, "s",
                        failure.event.iteration, failure.file),
        ),
        iterations=None if failure.event.iteration is None else (failure.event.iteration, failure.event.iteration),
        confidence=0.9, facts={"waited": None if waited is None else round(waited / 1000)},
    )


@detects("multi-gpu-differs")
def differs(batch: Batch, span: tuple[int, int], *, off: float = 0.2, most: int = 10) -> Finding | None:
    """Rates that do not follow the square root of the batch, or a batch that leaves Adam no momentum."""
    due = batch.views**0.5
    if batch.views <= 1:
        return None
    if batch.scale is not None and abs(batch.scale / due - 1) > off and batch.mode != "accumu":
        says = f"the optimiser's rate of the opacities is {batch.scale:.2g} times the one that was set"
        return _finding(batch, span, says, batch.scale, due)
    if batch.scale is None and batch.mode == LINEAR:
        says = f"the rates are multiplied by {batch.views}, not by its square root"
        return _finding(batch, span, says, float(batch.views), due)
    if batch.linear_decay and batch.views >= most:
        return _finding(batch, span, "Adam's first decay, 1 - 0.1 per view, is zero or less", 1 - 0.1 * batch.views, 0.0)
    return None


@detects("checkpoint-needs-unwrap")
def needs_unwrap(wrapped: Wrapped, trainer: Trainer, *, names: int = 1) -> Finding | None:
    """Names of tensors that a wrapper for several processes has lengthened: a loader without it finds none of them."""
    if len(wrapped.names) < names or trainer.name in UNWRAPS_ITSELF:
        return None
    return Finding(
        f"{len(wrapped.names):,} of {wrapped.tensors:,} named tensors in {wrapped.source} begin with “module.”, as "
        f"{wrapped.names[0]}",
        evidence=(
            EvidenceRow("names that begin with module.", len(wrapped.names), names - 1, "tensors", wrapped.iteration,
                        wrapped.source),
            EvidenceRow("named tensors", wrapped.tensors, None, "tensors", wrapped.iteration, wrapped.source),
        ),
        iterations=(wrapped.iteration, wrapped.iteration), confidence=0.8, facts={"file": wrapped.source},
    )


def _parts_rows(parts: Parts, near: float) -> tuple[EvidenceRow, ...]:
    return (
        EvidenceRow("distance to the nearest Gaussian of another process / of the own", parts.nearness, near, "", parts.iteration,
                    parts.source),
        *(EvidenceRow(f"Gaussians of process {rank}", count, None, "Gaussians", parts.iteration, parts.source)
          for rank, count in enumerate(parts.counts[:8])),
    )


def _finding(batch: Batch, span: tuple[int, int], says: str, value: float, due: float) -> Finding:
    return Finding(
        f"With {batch.views} views per step {says}; the square root of the batch is {batch.views**0.5:.2g}",
        evidence=(
            EvidenceRow("learning rate, times what was set (or Adam's first decay)", value, due, "times", None, batch.source),
            EvidenceRow("views per step", batch.views, None, "views", None, batch.source),
        ),
        iterations=span, confidence=0.7, facts={"views": batch.views, "due": due},
    )
