"""Which back-end a machine gets, and the sentence that says why."""

from dataclasses import dataclass
from typing import Literal

Wanted = Literal["auto", "gl", "software"]
SETTING = "SPLATDOCTOR_VIEWPORT"  # environment variable: auto, gl or software

# Mesa's CPU renderers: the rasteriser of this project is faster than they are (benchmarks/gl_against_cpu.py).
_CPU_RENDERERS = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer", "gdi generic", "basic render")
_LEAST_GL = (3, 3)  # geometry shaders, texelFetch and instancing


@dataclass(frozen=True)
class Graphics:
    """What a GL context says about itself; None: no context came."""

    renderer: str | None  # GL_RENDERER
    version: str | None  # GL_VERSION, "4.5 (Compatibility Profile) Mesa 22.3.6" or "OpenGL ES 3.2 …"


@dataclass(frozen=True)
class Choice:
    """A back-end and why it was chosen."""

    backend: Literal["gl", "software"]
    why: str


def choose(graphics: Graphics, system: str, wanted: Wanted = "auto") -> Choice:
    """`system` is `platform.system()`. A wish for GL is followed wherever GL can draw at all."""
    if wanted == "software":
        return Choice("software", "the software renderer was asked for")
    cannot = _why_not_gl(graphics, system)
    if cannot:
        return Choice("software", cannot)
    slow = _cpu_renderer(graphics)
    if slow and wanted == "auto":
        return Choice("software", f"{slow} draws on the CPU, where the built-in rasteriser is faster")
    return Choice("gl", "the OpenGL renderer was asked for" if wanted == "gl" else f"{graphics.renderer} draws with OpenGL")


def wanted_from(text: str | None) -> Wanted:
    """The value of the setting; anything unknown is "auto"."""
    if text == "gl":
        return "gl"
    return "software" if text == "software" else "auto"


def version_of(text: str) -> tuple[int, int]:
    """(major, minor) of a GL_VERSION; (0, 0) for OpenGL ES, which lacks what the shaders need, and for nonsense."""
    numbers = text.split(" ")[0].split(".")
    if len(numbers) < 2 or not (numbers[0].isdigit() and numbers[1].isdigit()):
        return (0, 0)
    return int(numbers[0]), int(numbers[1])


def _why_not_gl(graphics: Graphics, system: str) -> str:
    if system == "Darwin":
        return "macOS offers OpenGL 2.1 to this program, which lacks geometry shaders and instancing"
    if graphics.renderer is None or graphics.version is None:
        return "this display offers no OpenGL"
    if version_of(graphics.version) < _LEAST_GL:
        return f"OpenGL 3.3 is needed, and the driver offers {graphics.version}"
    return ""


def _cpu_renderer(graphics: Graphics) -> str:
    renderer = graphics.renderer or ""
    return renderer if any(name in renderer.lower() for name in _CPU_RENDERERS) else ""
