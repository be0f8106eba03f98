"""Probes that settle what no file can: what is done, and what would tell."""

from collections.abc import Collection, Mapping

from diagnostics.probes.registry import pages

TRIALS: Mapping[str, str] = {
    "overfit": (
        "Train on one view alone. It must become very good; if not, gradients, loss or rasteriser are broken. Poses and "
        "intrinsics stay untested."),
    "sh": (
        "Render the held-out views with the harmonics cut to degree 0, 1, 2. If they become better, the harmonics are "
        "overfitted."),
    "pose": (
        "Let the trainer correct each camera's pose a little, with the Gaussians kept as they are. Cameras that move far more "
        "than the others were wrong."),
    "exposure": (
        "Fit one colour transform per view to its photo. Views that gain far more than the others were exposed in another way."),
    "resume": "Resume twice from one state, and once train on without a stop. The three must differ by no more than two runs do.",
    "nan": (
        "Go on from the last good save and look after each step at parameters, gradients and terms of the loss: the first that "
        "is not finite names the cause."),
    "gradient-reach": "Sum the gradients over one pass through all views. Gaussians that got exactly none can never move.",
    "fix-trial": "Train the case that failed again with the one change, same data and seed, and a second time without it.",
}


def known_probes() -> Collection[str]:
    return {*pages(), *TRIALS}


def question(name: str) -> str:
    return pages()[name].question if name in pages() else TRIALS[name]
