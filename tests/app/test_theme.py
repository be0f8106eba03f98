"""Text that cannot be read is text that is not there; the limits are WCAG 2.2, 1.4.3."""

import pytest

from app.theme import DARK, LIGHT


def luminance(colour: str) -> float:
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda t: t.name)
@pytest.mark.parametrize("ground", ["window", "panel", "raised"])
def test_every_text_colour_reaches_4_5_on_every_ground(theme, ground):
    """Severity words, hints and links are all read on all three grounds."""
    for name in ("text", "muted", "accent", "critical", "major", "minor", "info", "good"):
        assert contrast(getattr(theme, name), getattr(theme, ground)) >= 4.5, name


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda t: t.name)
def test_buttons_and_curves_are_visible(theme):
    """Text on the primary button 4.5:1; curves are graphics and need 3:1."""
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    for curve in theme.curves:
        assert contrast(curve, theme.panel) >= 3
