"""Renders and photos laid over different backgrounds."""

from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.measures.backgrounds import WHITE
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace
from runs.settings import Settings


@detects("wrong-background")
def wrong_background(
    photo_background: PhotoBackground, background_trial: BackgroundTrial | None = None, settings: Settings | None = None, *,
    reproduced: float = 0.15, contrast: float = 1.0, empty_share: float = 0.05, covered: float = 0.5,
) -> Finding | None:
    """Training laid its renders over another colour than the one that lies behind the photos."""
    behind = photo_background
    if behind.share < empty_share and not behind.has_alpha:
        return None  # nothing in the photos shows a background, so none can be wrong
    fitting = _reproducing(background_trial, reproduced, contrast)
    sound = [mine == (theirs or behind.colour) for mine, theirs in fitting]
    if fitting and all(sound):
        return None
    trained = fitting[0] if fitting and not any(sound) else None
    if trained is None and not (behind.covered > covered and behind.share >= empty_share):
        return None
    photos = (trained[1] if trained is not None else "") or behind.colour
    return Finding(
        _says(behind, background_trial, trained) + _recorded(settings),
        evidence=(*_proof(background_trial, reproduced), *_cover(behind, covered if trained is None else None)),
        iterations=(background_trial.iteration if background_trial is not None else behind.iteration, behind.iteration),
        confidence=0.99 if trained is not None else 0.6, colour_by="opacity",
        gaussians=GaussianPlace(behind.painters, behind.iteration, behind.of) if len(behind.painters) else None,
        facts={"photos": photos}, fixes=_fixes(settings, photos),
    )


def _reproducing(trial: BackgroundTrial | None, reproduced: float, contrast: float) -> list[tuple[str, str]]:
    """Pairs (colour behind the render, colour behind the photo or "") that may have given the logged PSNR, best first.

    Empty where none comes within `reproduced` dB; pairs up to `contrast` dB behind the best are not told apart from it.
    """
    if trial is None or not trial.exact or not trial.psnr_db:
        return []
    misses = sorted((abs(value - trial.logged_db), pair) for pair, value in trial.psnr_db.items())
    best = misses[0][0]
    return [pair for miss, pair in misses if miss <= best + contrast] if best <= reproduced else []


def _says(behind: PhotoBackground, trial: BackgroundTrial | None, trained: tuple[str, str] | None) -> str:
    if trained is None or trial is None:
        return (f"The model covers {behind.covered:.0%} of the photos' empty {behind.colour} area, which it need not cover "
                f"if it is trained on {behind.colour}")
    others = ", ".join(f"{value:.2f} dB on {mine}" for (mine, _), value in trial.psnr_db.items() if mine != trained[0])
    return (f"The test PSNR logged at iteration {trial.iteration:,}, {trial.logged_db:.2f} dB, is reproduced only by renders on "
            f"{trained[0]} ({trial.psnr_db[trained]:.2f} dB; {others}), but the background of the photos is "
            f"{trained[1] or behind.colour}")


def _recorded(settings: Settings | None) -> str:
    setting = None if settings is None else settings.get("white_background")
    return "" if setting is None else f"; {setting.source} says white_background={setting.value}"


def _fixes(settings: Settings | None, photos: str) -> tuple[Fix, ...]:
    """The trainer's own switch, unless it already stands right: then something else overrules it."""
    setting = None if settings is None else settings.get("white_background")
    if setting is None:
        return ()
    wanted = photos == WHITE
    if bool(setting.value) is not wanted:
        return (Fix("Set the background to the colour of the photos", "the empty area stays empty in a new run",
                    setting.name, setting.value, wanted),)
    return (Fix(f"Find what overrules white_background={setting.value}: a loader that composites by itself, or a resumed run "
                "with another setting", f"the first logged PSNR of a new run is reproduced by renders on {photos}"),)


def _proof(trial: BackgroundTrial | None, reproduced: float) -> tuple[EvidenceRow, ...]:
    if trial is None:
        return ()
    logged = EvidenceRow("logged PSNR of the held-out views", trial.logged_db, None, "dB", trial.iteration, trial.source)
    rendered = (
        EvidenceRow(f"difference between it and renders on {mine}" + (f", photos on {theirs}" if theirs else ""),
                    round(abs(value - trial.logged_db), 3), reproduced, "dB", trial.iteration, "held-out photos")
        for (mine, theirs), value in sorted(trial.psnr_db.items()))
    return (logged, *rendered)


def _cover(behind: PhotoBackground, covered: float | None) -> tuple[EvidenceRow, ...]:
    return (
        EvidenceRow(f"photo pixels that are exactly {behind.colour}", behind.share, None, "share", None, "training photos"),
        EvidenceRow("opacity of the model over those pixels", behind.covered, covered, "share", behind.iteration),
        EvidenceRow("Gaussians that mostly paint those pixels", len(behind.painters), None, "Gaussians", behind.iteration),
    )
