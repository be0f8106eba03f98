"""The formats in which splats are stored, and the one look that tells them apart: first bytes first, the name second."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runs.advice import EXPORT_SPLATS, UNFINISHED
from runs.errors import UnreadableFile
from runs.formats.exchange import antimatter, compressed_ply, gltf, ksplat, sog, spz
from runs.formats.lichtfeld import licht, resume
from runs.formats.ply import anchors, codebook, splats
from runs.formats.small_files import unreadable
from runs.formats.splat_file import SplatFile
from runs.storage import ensure

HEAD_BYTES = 512


@dataclass(frozen=True)
class SplatFormat:
    """One row of the table of formats."""

    name: str
    endings: tuple[str, ...]  # of file names, in lower case; what a folder is searched for
    recognise: Callable[[Path, bytes], bool]  # the path, and the first bytes of the file
    look: Callable[[Path], SplatFile]  # headers only. Raises UnreadableFile or RefusedFile


# The first that recognises a file reads it.
FORMATS: tuple[SplatFormat, ...] = (
    SplatFormat("compressed PLY", (".ply",), compressed_ply.recognise, compressed_ply.look),
    SplatFormat("anchor PLY", (".ply",), anchors.is_anchors, anchors.look),
    SplatFormat("codebook PLY", (".ply",), codebook.is_grouped, codebook.look),
    SplatFormat("PLY", (".ply",), lambda path, head: head.startswith(b"ply") or path.suffix.lower() == ".ply", splats.look),
    SplatFormat("LichtFeld checkpoint", (".resume",), resume.is_resume, resume.look),
    SplatFormat("LichtFeld project", (".licht",), licht.is_licht, licht.look),
    SplatFormat("spz", (".spz",), spz.recognise, spz.look),
    SplatFormat("SOG", (".sog",), sog.recognise, sog.look),
    SplatFormat("glTF", (".glb", ".gltf"), gltf.recognise, gltf.look),
    SplatFormat("ksplat", (".ksplat",), ksplat.recognise, ksplat.look),
    SplatFormat("splat", (".splat",), antimatter.recognise, antimatter.look),
)
ENDINGS = tuple(dict.fromkeys(ending for known in FORMATS for ending in known.endings))


def look_at(path: Path) -> SplatFile:
    """What the file at `path` holds. Raises UnreadableFile for one that is no file of splats, RefusedFile for a hostile one."""
    head = _head(path)
    known = next((known for known in FORMATS if known.recognise(path, head)), None)
    if known is None:
        raise UnreadableFile(_no_format(head), path)
    return known.look(path)


def could_be_splats(path: Path) -> bool:
    """Whether the name is one that files of splats have; a meta.json needs the image of SOG beside it."""
    return path.suffix.lower() in ENDINGS or sog.is_scene(path)


def _head(path: Path) -> bytes:
    ensure(path, 0, HEAD_BYTES)
    try:
        with path.open("rb", buffering=0) as file:  # a buffer would read 8 KiB of each file
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise unreadable(error, path) from error


def _no_format(head: bytes) -> str:
    if not head:
        return f"this file is empty; {UNFINISHED}"
    return f"this is no file of splats that is known here ({', '.join(ENDINGS)}); {EXPORT_SPLATS} as PLY"
