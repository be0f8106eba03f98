"""When Gaussians grow and when surrogates pull: the schedule of TruncGradGS, or the plain one where it is not asked for."""

from dataclasses import replace

from diagnostics.optimiser import schedule
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.strategies import Growth
from diagnostics.optimiser.truncgrad import LENGTH, TruncGrad
from render.raster.truncated import Truncation

# A dilated splat has a radius of 2 px at any resolution: below this, a limit that is scaled down would pad next to nothing.
LEAST_LIMIT_PX = 8.0


def in_truncgrad(settings: OptimiserSettings, options: TruncGrad) -> OptimiserSettings:
    """The settings for a whole training by the method: it densifies for longer and never prunes by size."""
    return replace(settings, truncgrad=options, prune_scale=0.0,
                   densify_until_iter=round(options.densify_until * settings.iterations / LENGTH))


def pulls(iteration: int, settings: OptimiserSettings) -> bool:
    """Whether this iteration belongs to a phase of surrogates."""
    options = settings.truncgrad
    if options is None or not options.has_surrogate:
        return False
    return not options.interleaved or not _grows(iteration, settings, options)


def growth_at(iteration: int, settings: OptimiserSettings) -> Growth | None:
    """What may happen to the number of Gaussians now; None for nothing."""
    options = settings.truncgrad
    if not schedule.densifies(iteration, settings):
        return None
    if options is None:
        return Growth()
    prunes = not options.delayed_pruning or _told_for(iteration, settings) > options.prune_after
    if not options.interleaved or _grows(iteration, settings, options):
        return Growth(prunes=prunes)
    splits = options.split_every and iteration % (options.split_every * settings.densification_interval) == 0
    return Growth(clones=False, prunes=False) if splits else None


def truncation_at(iteration: int, settings: OptimiserSettings, size_px: tuple[int, int]) -> Truncation | None:
    """The surrogate of this iteration for a picture of `size_px`; None where there is none."""
    options = settings.truncgrad
    if options is None or not pulls(iteration, settings) or _is_quiet(iteration, settings, options):
        return None
    return truncation(options, size_px, _pull(iteration, settings, options))


def truncation(options: TruncGrad, size_px: tuple[int, int], pull: float = 1.0) -> Truncation:
    """The surrogate for a picture of `size_px`."""
    scale = max(size_px) / options.of_picture_px if options.of_picture_px else 1.0
    least = LEAST_LIMIT_PX if options.of_picture_px else 0.0
    return Truncation(
        dead_opacity=options.dead_opacity if options.dead_filter else 1.0, fall=options.slope * pull, contour=options.contour,
        padding_px=options.padding_px * scale if options.padding else 0.0,
        padded_below_px=max(options.padded_below_px * scale, least) if options.padding else 0.0,
        by_centre=options.tail, by_sign=options.sign_filter, by_opacity=options.opacity_gradients,
        by_colour=options.colour_gradients,
    )


def _told_for(iteration: int, settings: OptimiserSettings) -> float:
    """The same moment of a training of 30,000 iterations."""
    return iteration * LENGTH / settings.iterations


def _grows(iteration: int, settings: OptimiserSettings, options: TruncGrad) -> bool:
    moment = _told_for(iteration, settings)
    return sum(moment >= switch for switch in options.switches) % 2 == 0


def _is_quiet(iteration: int, settings: OptimiserSettings, options: TruncGrad) -> bool:
    """Opacities were reset a moment ago: all that it reached count as dead until they have recovered."""
    for_so_long = round(options.quiet_after_reset * settings.iterations / LENGTH)
    return any(schedule.resets_opacities(before, settings) for before in range(max(iteration - for_so_long, 1), iteration))


def _pull(iteration: int, settings: OptimiserSettings, options: TruncGrad) -> float:
    part = (iteration - 1) * len(options.pulls) // settings.iterations
    return options.pulls[min(part, len(options.pulls) - 1)]
