"""Where the harness keeps things: corpora and crashes below `.fuzz/`, which git ignores; finds below `tests/fuzz/found/`."""

from dataclasses import dataclass
from pathlib import Path

FUZZ = Path(__file__).resolve().parents[2] / ".fuzz"
FOUND = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Places:
    """The folders of one target; all but `found` exist."""

    corpus: Path
    seeds: Path
    crashes: Path  # what libFuzzer leaves when it ends the process
    scratch: Path
    log: Path
    found: Path

    @classmethod
    def of(cls, name: str) -> "Places":
        folders = [FUZZ / kind / name for kind in ("corpus", "seeds", "crashes", "scratch")]
        for folder in (*folders, FUZZ / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        return cls(*folders, FUZZ / "logs" / f"{name}.log", FOUND / name)

    def keep(self, file_name: str, data: bytes) -> None:
        """Keep an input as a find, unless a shorter one of the same cause is there."""
        self.found.mkdir(parents=True, exist_ok=True)
        path = self.found / file_name
        if not path.exists() or path.stat().st_size > len(data):
            path.write_bytes(data)

    def take_crashes(self) -> list[str]:
        """Move what libFuzzer left to the finds; the names of those."""
        taken = []
        for crash in sorted(self.crashes.iterdir()):
            kind, _, digest = crash.name.partition("-")
            self.keep(f"{kind}-{digest[:8]}", crash.read_bytes())
            crash.unlink()
            taken.append(f"{kind}-{digest[:8]}")
        return taken
