"""`.licht`, the project container of LichtFeld Studio since 2026-08: told by its first bytes, and not read."""

from pathlib import Path

from runs.errors import UnreadableFile
from runs.formats.splat_file import SplatFile

MAGIC = b"\x89LFS\r\n\x1a\n"
REFUSAL = "this is a LichtFeld Studio project (.licht), which is not read here; export its splats as PLY from LichtFeld Studio"


def is_licht(_path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC)


def look(path: Path) -> SplatFile:
    """Raises UnreadableFile, always."""
    raise UnreadableFile(REFUSAL, path)
