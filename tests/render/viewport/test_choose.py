"""A wrong choice costs a user seconds a frame, or a black window."""

import pytest

from render.viewport.choose import Graphics, choose, version_of, wanted_from

NVIDIA = Graphics("NVIDIA GeForce RTX 4070/PCIe/SSE2", "4.6.0 NVIDIA 550.54")
MESA = "4.5 (Compatibility Profile) Mesa 22.3.6"


@pytest.mark.parametrize(("graphics", "system", "wanted", "backend"), [
    (NVIDIA, "Linux", "auto", "gl"),
    (NVIDIA, "Linux", "software", "software"),
    (NVIDIA, "Darwin", "gl", "software"),  # GL 2.1 is all that macOS gives
    (Graphics("llvmpipe (LLVM 15.0.6, 256 bits)", MESA), "Linux", "auto", "software"),
    (Graphics("llvmpipe (LLVM 15.0.6, 256 bits)", MESA), "Linux", "gl", "gl"),
    (Graphics("softpipe", MESA), "Linux", "auto", "software"),
    (Graphics("Google SwiftShader", "4.5"), "Linux", "auto", "software"),
    (Graphics("Mesa Intel(R) UHD Graphics 620", MESA), "Linux", "auto", "gl"),
    (Graphics("Mesa Intel(R) UHD Graphics 620", "OpenGL ES 3.2 Mesa 22.3.6"), "Linux", "auto", "software"),
    (Graphics("Old", "2.1 Mesa"), "Linux", "gl", "software"),
    (Graphics(None, None), "Linux", "gl", "software"),
])
def test_choice(graphics: Graphics, system: str, wanted: str, backend: str) -> None:
    """What each kind of machine gets; the reason is shown to the user, so it is never empty."""
    chosen = choose(graphics, system, wanted_from(wanted))
    assert chosen.backend == backend
    assert chosen.why


@pytest.mark.parametrize("text", ["", "fast", "GL", None])
def test_an_unknown_setting_is_auto(text: str | None) -> None:
    """A typing error in the environment must not end the program."""
    assert wanted_from(text) == "auto"


def test_versions() -> None:
    """Drivers write them in many ways; what cannot be read counts as too old."""
    assert version_of("4.6.0 NVIDIA 550.54") == (4, 6)
    assert version_of("3.3") == (3, 3)
    assert version_of("") == version_of("OpenGL ES 3.2 x") == version_of("x.y") == (0, 0)
