"""Renders and photos laid over different backgrounds."""

from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.facts.habits import BACKGROUND
from diagnostics.measures.backgrounds import BLACK, WHITE
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace, NotEvaluable, Severity
from diagnostics.wording import percent
from runs.settings import Settings

# INRIA's trainer since August 2024 (revision 2130164) multiplies each render by its photo's alpha before the loss, and does
# not when it evaluates. Its cfg_args has this key; so have the forks made since.
SIGN_OF_MASKS = "train_test_exp"
ONLY_EVALUATED = ("The trainer multiplies its renders by the photos' alpha before the loss, but not when it evaluates: the model "
                  "is not affected, and the logged PSNR is lower than the model deserves.")


@detects("wrong-background")
def wrong_background(
    photo_background: PhotoBackground, background_trial: BackgroundTrial | None = None, settings: Settings | None = None,
    trained_background: str | None = None, *,
    reproduced: float = 0.15, contrast: float = 1.0, empty_share: float = 0.05, surrounding: float = 0.25, covered: float = 0.5,
) -> Finding | NotEvaluable | None:
    """Training laid its renders over another colour than the one that lies behind the photos."""
    behind, said = photo_background, _said(settings)
    if not behind.cut_out and (behind.share < empty_share or behind.surrounding < surrounding):
        return None  # a blown-out sky and black shadows are matter that the model must paint, whatever it is laid over
    fitting = _reproducing(background_trial, reproduced, contrast)
    wrong = [_is_wrong(pair, behind, said) for pair in fitting]
    if fitting and not any(wrong):
        return None
    trained = fitting[0] if fitting and all(wrong) else None
    if trained is None and not (_needs_no_cover(behind, said) and behind.covered > covered and behind.share >= empty_share):
        return None
    masked = behind.cut_out and settings is not None and SIGN_OF_MASKS in settings
    if masked and trained is None:
        return NotEvaluable(("photos without transparent parts (this trainer leaves transparent pixels out of its loss, so that "
                             "the model may cover them)",))
    if trained is None and trained_background is None:
        return NotEvaluable((f"{BACKGROUND}, or a logged PSNR that tells it",))  # before another one a black rim must be painted
    harmless = masked and not behind.covered > covered
    photos = (trained[1] if trained is not None else "") or behind.colour
    severity, confidence = _weight(trained, said, harmless)
    return Finding(
        _says(behind, background_trial, trained) + _recorded(settings),
        evidence=(*_proof(background_trial, reproduced), *_cover(behind, surrounding, covered if trained is None else None)),
        iterations=(background_trial.iteration if background_trial is not None else behind.iteration, behind.iteration),
        severity=severity, confidence=confidence, colour_by="opacity", cause=ONLY_EVALUATED if harmless else "",
        gaussians=GaussianPlace(behind.painters, behind.iteration, behind.of) if len(behind.painters) else None,
        facts={"photos": photos}, fixes=_fixes(settings, photos),
    )


def _said(settings: Settings | None) -> str:
    """The colour that training was told to use; trainers use black where nothing else is said."""
    return WHITE if settings is not None and settings.value("white_background") is True else BLACK


def _is_wrong(pair: tuple[str, str], behind: PhotoBackground, said: str) -> bool:
    """Whether training with these colours (behind the render, behind the photo or "") is a fault.

    Around a scene in opaque photos, black is where no light comes from: nothing is there. White may be an overcast sky or a
    wall, which is matter: a trainer that was told to use black and did is sound.
    """
    mine, theirs = pair
    if theirs:
        return mine != theirs
    return mine != behind.colour and (behind.colour == BLACK or mine != said)


def _needs_no_cover(behind: PhotoBackground, said: str) -> bool:
    """Whether the empty part of the photos should stay empty in a model trained as it was told; see `_is_wrong` for white."""
    return behind.cut_out or behind.colour in (BLACK, said)


def _weight(trained: tuple[str, str] | None, said: str, harmless: bool) -> tuple[Severity, float]:
    """Severity and confidence: critical only where the logged PSNR contradicts what training was told, or the photos' alpha."""
    if harmless:
        return "minor", 0.9
    if trained is None:
        return "major", 0.6
    mine, theirs = trained
    return ("critical", 0.99) if theirs or mine != said else ("major", 0.9)


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
        where = ("area where the photos are transparent" if behind.cut_out else
                 f"{behind.colour} area that surrounds the scene in the photos")
        return (f"The model covers {percent(behind.covered)} of the {where}, which it need not cover if renders and photos are "
                f"laid over the same colour")
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


def _cover(behind: PhotoBackground, surrounding: float, covered: float | None) -> tuple[EvidenceRow, ...]:
    transparent = " and transparent" if behind.cut_out else ""
    return (
        EvidenceRow(f"photo pixels that are exactly {behind.colour}{transparent}", behind.share, None, "share", None,
                    "training photos"),
        EvidenceRow("the same on the side of the photos' rim with the fewest, median over photos", behind.surrounding,
                    None if behind.cut_out else surrounding, "share", None, "training photos"),
        EvidenceRow("opacity of the model over those pixels", behind.covered, covered, "share", behind.iteration),
        EvidenceRow("Gaussians that mostly paint those pixels", len(behind.painters), None, "Gaussians", behind.iteration),
    )
