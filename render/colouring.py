"""From numbers to colours: perceptually uniform maps, robust scales and the ticks of their legend."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import PchipInterpolator

from runs.arrays import F64, U8, Array

# Every 15th entry of the CC0 tables by N. Smith, S. van der Walt, E. Firing (viridis, inferno) and
# J. Nuñez, C. Anderton, R. Renslow (cividis: the same to red-green colour-blind eyes, PLoS ONE 2018).
KNOTS = {
    "viridis": "440154 481769 472a7a 433d84 3d4e8a 355e8d 2e6d8e 297b8e 23898e "
               "1f978b 21a585 2eb37c 46c06f 65cb5e 89d548 b0dd2f d8e219 fde725",
    "cividis": "00204d 002b67 00356e 28406c 3d4a6b 4d556c 5b606e 696b71 767676 "
               "848179 928d78 a19976 b1a573 c1b26d d1bf66 e2cd5c f3db4f ffea46",
    "inferno": "000004 0a0722 1e0c45 380962 510e6c 69166e 801f6c 982766 b0315b "
               "c63d4d d94d3d e9612b f47918 fa9407 fcb014 f8cd37 f2ea69 fcffa4",
}
DIVERGING = "blue-orange"
COLOUR_MAPS = (*KNOTS, DIVERGING)
NO_VALUE = (128, 128, 128)  # what has no number is drawn in a grey that no map contains at full strength


@dataclass(frozen=True)
class Scale:
    """The range of values that a colour map spans; `log` spaces it by magnitude (low > 0 then)."""

    low: float
    high: float
    log: bool = False

    def position(self, values: Array) -> F64:
        """Where values lie between low (0) and high (1), clipped; NaN stays NaN."""
        values = np.asarray(values, np.float64)
        low, high = self.low, self.high
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.log:
                values = np.log(np.where(values < 0, 0.0, values))
                low, high = np.log(low), np.log(high)
            return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0), np.float64)


@dataclass(frozen=True)
class Tick:
    """A mark of a legend: `position` 0..1 along the bar, `text` with the unit."""

    position: float
    value: float
    text: str


def colour_map(name: str = "viridis") -> U8:
    """uint8 [256, 3], read-only. Raises KeyError for a name that is not in `COLOUR_MAPS`."""
    if name not in COLOUR_MAPS:
        raise KeyError(f"no colour map is called {name!r}; there are {', '.join(COLOUR_MAPS)}")
    return _table(name)


def scale_for(values: Array, log: bool = False) -> Scale:
    """A scale from the 2nd to the 98th percentile, so that a few outliers do not swallow the map."""
    good = np.asarray(values, np.float64).ravel()
    good = good[np.isfinite(good) & ((good > 0) | (not log))]
    if good.size == 0:
        return Scale(1.0, 10.0, True) if log else Scale(0.0, 1.0)
    low, high = (float(value) for value in np.percentile(good, (2, 98)))
    if high - low > 1e-9 * abs(high):
        return Scale(low, high, log)
    return Scale(low / 1.1, high * 1.1, True) if log else Scale(low - 0.5, high + 0.5)  # all the same value


def to_rgb(values: Array, scale: Scale, map: str | U8 = "viridis") -> U8:
    """uint8 [N, 3] for values [N]; NaN becomes `NO_VALUE`. `map` is a name or a table [256, 3]."""
    table = colour_map(map) if isinstance(map, str) else map
    position = scale.position(values)
    missing = np.isnan(position)
    rgb = np.asarray(table[np.rint(np.where(missing, 0.0, position) * 255).astype(np.intp)], np.uint8)
    rgb[missing] = NO_VALUE
    return rgb


def legend_ticks(scale: Scale, unit: str = "", *, wanted: int = 5) -> tuple[Tick, ...]:
    """About `wanted` round values inside the scale, with their unit; never fewer than the two ends."""
    values = _log_values(scale, wanted) if scale.log else _linear_values(scale, wanted)
    if len(values) < 2:
        values = np.array([scale.low, scale.high])
    positions = scale.position(values)
    suffix = f" {unit}" if unit else ""
    texts = _told_apart(values)
    return tuple(Tick(float(at), float(value), text + suffix) for at, value, text in zip(positions, values, texts, strict=True))


def _told_apart(values: F64) -> list[str]:
    """Three significant digits, or as many more as it takes to be off by less than a hundredth of the way to the next."""
    nearest = float(np.diff(values).min())
    for digits in range(3, 17):
        texts = [f"{value:.{digits}g}" for value in values]
        if np.abs(np.array(texts, np.float64) - values).max() < 0.01 * nearest:
            return texts
    return [repr(float(value)) for value in values]


def _linear_values(scale: Scale, wanted: int) -> F64:
    rough = (scale.high - scale.low) / max(wanted - 1, 1)
    magnitude = 10.0 ** np.floor(np.log10(rough))
    step = min((factor * magnitude for factor in (1, 2, 5, 10)), key=lambda step: abs(step - rough))
    first, last = np.ceil(scale.low / step - 1e-9), np.floor(scale.high / step + 1e-9)
    return np.asarray(np.arange(first, last + 1) * step + 0.0, np.float64)  # + 0.0: no "-0"


def _log_values(scale: Scale, wanted: int) -> F64:
    low, high = np.log10(scale.low), np.log10(scale.high)
    decades = np.arange(np.floor(low), np.ceil(high) + 1)
    if high - low < wanted - 2:  # few decades: 1, 2 and 5 of each
        values = (10.0 ** decades[:, None] * np.array([1.0, 2.0, 5.0])).ravel()
    else:
        values = 10.0 ** decades[:: max(1, round((high - low) / wanted))]
    inside = (values >= scale.low * (1 - 1e-9)) & (values <= scale.high * (1 + 1e-9))
    return np.asarray(values[inside], np.float64)


@lru_cache
def _table(name: str) -> U8:
    table = _diverging() if name == DIVERGING else _interpolated(KNOTS[name])
    table.flags.writeable = False
    return table


def _interpolated(knots: str) -> U8:
    colours = np.array([list(bytes.fromhex(knot)) for knot in knots.split()], np.float64)
    smooth = PchipInterpolator(np.linspace(0, 255, len(colours)), colours)(np.arange(256))
    return np.asarray(np.rint(np.clip(smooth, 0, 255)), np.uint8)


def _diverging() -> U8:
    """Blue over light grey to orange, straight lines in Oklab, so both arms darken and saturate evenly.

    Blue against orange differs to red-green colour-blind eyes too. Oklab: Björn Ottosson 2020 (public domain).
    """
    side = np.linspace(-1, 1, 256)[:, None]
    blue, grey, orange = np.array([0.52, -0.04, -0.15]), np.array([0.95, 0.0, 0.0]), np.array([0.52, 0.10, 0.10])
    oklab = grey + np.abs(side) * (np.where(side < 0, blue, orange) - grey)
    return np.asarray(np.rint(255 * _srgb_from_oklab(oklab)), np.uint8)


def _srgb_from_oklab(oklab: F64) -> F64:
    cone = oklab @ np.array([[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
                             [1, -0.0894841775, -1.2914855480]]).T
    linear = cone**3 @ np.array([[4.0767416621, -3.3077115913, 0.2309699292],
                                 [-1.2684380046, 2.6097574011, -0.3413193965],
                                 [-0.0041960863, -0.7034186147, 1.7076147010]]).T
    linear = np.clip(linear, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055), np.float64)
