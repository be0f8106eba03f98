"""Diagnoses built in memory: a small run with a real scene, and findings of any number and any length of text."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.catalogue import CatalogueFix, Pattern, Source
from diagnostics.diagnosis import Diagnosis, Reported, Undecided
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace, Severity
from runs.notes import Note
from runs.run import Run
from tests.support.runs import cloud, made_run, ring_cameras

COUNT = 400
SAVED = "point_cloud/iteration_1500/point_cloud.ply"
PATTERN = Pattern(
    name="floaters", code="AF-01", title="Floaters", severity="major", kind="training",
    symptom="Specks hang in the air between the cameras and the scene.",
    cause="Opaque Gaussians in empty space are seen by few cameras, and no photo contradicts them.",
    limits={"share": "healthy runs of the calibration set stay below 2 %",
            "seen_by": "a point of a surface is seen by three or more"},
    fixes=(CatalogueFix("Reset opacities more often", "Floaters fade within 500 iterations"),),
    sources=(Source("3D Gaussian Splatting, Kerbl et al. 2023", "https://repo-sam.inria.fr/fungraph/3d-gaussian-splatting/"),),
)


def training_run(**changes: Any) -> Run:
    """1,500 iterations with logs, three saves and twelve cameras."""
    steps = range(1, 1501)
    noise = np.random.default_rng(1).normal(0, 1, 1501)
    series = {
        "loss/total": {i: 0.4 / (1 + i / 120) + 0.03 + 0.004 * noise[i] for i in steps},
        "test/psnr": {i: 14 + 12 * (1 - np.exp(-i / 400)) for i in range(100, 1501, 100)},
        "train/psnr": {i: 15 + 13 * (1 - np.exp(-i / 400)) for i in range(100, 1501, 100)},
        "num_gaussians": {i: min(2400, 800 + i // 100 * 160) for i in steps},
        "opacity_reset": {400: 1.0, 800: 1.0},
    }
    given: dict[str, Any] = {
        "series": series, "checkpoints": {i: cloud(COUNT, seed=3, opacity=0.7) for i in (500, 1000, 1500)},
        "cameras": ring_cameras(), "path": Path("runs/garden"),
        "settings": {"white_background": False, "densify_until_iter": 900, "iterations": 1500},
        "defaults": {"opacity_lr": 0.05},
    }
    return made_run(**(given | changes))


def reported(
    pattern: Pattern = PATTERN, *, severity: Severity = "major", consequence_of: tuple[str, ...] = (), **finding: Any,
) -> Reported:
    """A finding about the first 60 Gaussians; keywords replace parts of it."""
    given: dict[str, Any] = {
        "says": "60 of 400 Gaussians (15 %) float in front of the surface, seen by 2 of 12 cameras on average",
        "evidence": (EvidenceRow("share of Gaussians that float", 0.15, 0.02, "", 1500, SAVED),
                     EvidenceRow("test PSNR without them", 24.31, None, "dB", 1500, "metrics.jsonl")),
        "iterations": (900, 1500), "gaussians": GaussianPlace(np.arange(60), 1500, COUNT), "confidence": 0.8,
        "fixes": (Fix("Reset opacities more often", "Floaters fade within 500 iterations", "opacity_reset_interval", 400, 200),),
    }
    found = Finding(**(given | finding))
    cause, when = found.cause or pattern.cause, found.iterations or (0, 1500)
    return Reported(pattern, found, severity, cause, found.fixes, when, consequence_of)


def pattern(index: int) -> Pattern:
    return replace(PATTERN, name=f"made-up-{index}", code=f"N-{index:02d}", title=f"Made-up pattern {index}")


def diagnosis(*findings: Reported, run: Run | None = None, **changes: Any) -> Diagnosis:
    given: dict[str, Any] = {
        "run": run or training_run(), "span": (0, 1500), "findings": findings, "clear": (pattern(90), pattern(91)),
        "not_evaluable": (Undecided(pattern(92), ("series test/lpips", "photos (pass --data)")),),
        "notes": (Note("events.out.tfevents.1", "the last record is cut off; everything before it was read"),),
    }
    return Diagnosis(**(given | changes))
