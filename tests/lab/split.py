"""The two halves of the lab: limits are tuned on one, accuracy is told from the other; no scene and no strength is in both.

Scenes belong to a half by name. Of a fault with several strengths the first, third, … are tuned on and the second, fourth, …
tested; a fault with one strength has it in both halves, on different scenes.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tests.lab.case import HALVES, Half

# Each half has objects before a background (studio, statue), and captures that fill the picture from inside and from in front.
SCENES_OF: Mapping[Half, tuple[str, ...]] = MappingProxyType({
    "tuning": ("studio", "court", "shelf"),
    "test": ("garden", "statue", "corridor"),
})
CAPTURE = "fox"  # the real one: in the test half, where it is at hand


def half_of(scene: str) -> Half:
    """Raises KeyError for a scene in no half."""
    for half in HALVES:
        if scene in SCENES_OF[half] or (half == "test" and scene == CAPTURE):
            return half
    raise KeyError(f"the scene {scene} is in no half")


def strengths_of(strengths: Sequence[float], half: Half) -> tuple[float, ...]:
    """The strengths of a fault that count in `half`; never empty."""
    if len(strengths) == 1:
        return tuple(strengths)
    return tuple(strengths[HALVES.index(half)::2])


def scenes_of(half: Half, allowed: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The scenes of a half, of those that are allowed (all, where none are named). Raises ValueError where none is left."""
    left = tuple(scene for scene in SCENES_OF[half] if not allowed or scene in allowed)
    if not left:
        raise ValueError(f"no scene of the {half} half is among {', '.join(sorted(allowed))}")
    return left
