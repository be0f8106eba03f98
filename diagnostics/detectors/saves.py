"""What was saved does not fit together: counts, degrees of colour, statistics of other rows, modules without a file."""

from collections.abc import Iterator

from diagnostics.facts import saves  # noqa: F401  (the facts named below)
from diagnostics.facts.saved import file_of
from diagnostics.facts.saves import CountClaim, Degrees, Module
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint, TrainingState
from runs.trainers.inria.state import OTHER_COUNT


@detects("saved-during-densification")
def saved_during_densification(training_state: TrainingState, *, parts: int = 1) -> Finding | None:
    """Statistics or moments of the state belong to another number of Gaussians than its parameters."""
    count = training_state.gaussians.count
    odd = tuple(dict.fromkeys(_of_other_rows(training_state, count)))
    if len(odd) < parts:
        return None
    source, at = training_state.path.name, training_state.iteration
    return Finding(
        f"{source} holds {count:,} Gaussians, and {', '.join(odd)} of another number of them: it was written in the middle of a "
        f"densification",
        evidence=(
            EvidenceRow("parts of the state with another number of rows", len(odd), parts - 1, "parts", at, source),
            EvidenceRow("Gaussians", count, None, "Gaussians", at, source),
        ),
        iterations=(at, at), confidence=0.9, facts={"parts": ", ".join(odd), "iteration": at},
    )


def _of_other_rows(state: TrainingState, count: int) -> Iterator[str]:
    """Names; a reader that leaves such parts out says so in what is missing."""
    yield from (name for name, values in state.statistics.items() if len(values) != count)
    yield from (f"Adam's moments of {name}" for name, group in state.adam.items()
                if group.exp_avg_sq is not None and group.exp_avg_sq.ndim and len(group.exp_avg_sq) != count)
    yield from (what.removesuffix(OTHER_COUNT).strip() for what in state.missing if what.endswith(OTHER_COUNT))


@detects("count-mismatch")
def count_mismatch(checkpoint: Checkpoint, count_claims: tuple[CountClaim, ...], *, off: float = 0.01) -> Finding | None:
    """The saved splats are more or fewer than the log or the state of its iteration says, without a densification between."""
    wrong = [claim for claim in count_claims if claim.off(checkpoint.count) > off]
    if not wrong:
        return None
    worst = max(wrong, key=lambda claim: claim.off(checkpoint.count))
    nearest = worst.lowest if checkpoint.count < worst.lowest else worst.highest
    source, at = file_of(checkpoint), checkpoint.iteration
    return Finding(
        f"{source} holds {checkpoint.count:,} Gaussians, {worst.what} says {nearest:,}: "
        f"{percent(worst.off(checkpoint.count))} {'more' if checkpoint.count > nearest else 'are missing'}",
        evidence=(
            EvidenceRow("Gaussians in the file", checkpoint.count, None, "Gaussians", at, source),
            *(EvidenceRow(f"Gaussians by {claim.what}", claim.lowest if checkpoint.count < claim.lowest else claim.highest, None,
                          "Gaussians", at, claim.source) for claim in count_claims),
            EvidenceRow("difference / what is said", worst.off(checkpoint.count), off, "share", at, worst.source),
        ),
        iterations=(at, at), confidence=0.85, facts={"said": f"{nearest:,}", "file": source},
    )


@detects("sh-degree-mismatch")
def degree_mismatch(saved_degrees: Degrees, *, degree: int = 0) -> Finding | None:
    """Files of one run, or a file and the settings, disagree on the degree of the harmonics."""
    kept = saved_degrees
    other = [claim for claim in kept.claims if abs(claim[1] - kept.saved) > degree]
    beyond = kept.active is not None and kept.active[0] - kept.saved > degree
    if not other and not beyond:
        return None
    at = kept.iteration
    what, says, source = other[0] if other else ("the active degree of the state", *(kept.active or (0, "")))
    return Finding(
        f"{kept.saved_in} stores harmonics of degree {kept.saved} ({_numbers(kept.saved)} numbers per Gaussian), and "
        f"{what} says {says} ({_numbers(says)})",
        evidence=(
            EvidenceRow("degree of the saved harmonics", kept.saved, None, "", at, kept.saved_in),
            *(EvidenceRow(f"degree by {claim}", value, kept.saved, "", at, file) for claim, value, file in other),
            EvidenceRow("active degree", kept.active[0] if kept.active else None, kept.saved, "", at, source),
        ),
        iterations=(at, at), confidence=0.9, severity="major" if beyond else None,
        facts={"saved": kept.saved, "told": says, "what": what},
    )


def _numbers(degree: int) -> int:
    return 3 * (degree + 1) ** 2


@detects("extra-module-lost")
def module_lost(extra_modules: tuple[Module, ...], checkpoint: Checkpoint, *, lost: int = 1) -> Finding | None:
    """Settings or method say that something was trained beside the Gaussians, and its file is not there."""
    gone = [module for module in extra_modules if module.missing >= lost]
    if not gone:
        return None
    worst, source = gone[0], file_of(checkpoint)
    of = f" for {worst.missing} of {worst.saves} saves" if worst.saves > 1 else ""
    return Finding(
        f"The {worst.what} that were trained ({worst.why}) are not there{of}: {worst.where} is missing or cannot be read",
        evidence=(
            *(EvidenceRow(f"saves without {module.what} ({module.where})", module.missing, lost - 1, "saves",
                          checkpoint.iteration, source) for module in gone),
            *(EvidenceRow(f"saves that should have {module.what}", module.saves, None, "saves", checkpoint.iteration, source)
              for module in gone),
        ),
        confidence=0.9, facts={"what": worst.what, "where": worst.where},
    )
