"""Whether the scene of a run moves: then no saved set of Gaussians looks like a photo, which shows it at one moment."""

from diagnostics.verdict import NotEvaluable
from runs.motion import MOVING_TRAINERS
from runs.run import Run

MOVES = "a scene that stands still (this one moves, so the Gaussians as saved look like no photo of it)"


def moves(run: Run) -> NotEvaluable | None:
    """Why pictures of the saved Gaussians cannot be held against photos; None where the scene stands still."""
    moving = run.trainer.name in MOVING_TRAINERS or any(checkpoint.motion is not None for checkpoint in run.checkpoints)
    return NotEvaluable((MOVES,)) if moving else None
