"""Reading what a training logged: `python -m benchmarks.logs [iterations]`; the event file against TensorBoard's own reader.

TensorBoard is no dependency of ours: install it beside (`pip install tensorboard`), in an environment of its own if need be.
"""

import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import best_ms, table
from runs.formats.logs.metrics import read_jsonl
from runs.formats.logs.textlog import read_log
from runs.formats.tensorboard import read_events
from runs.writers.events import EventFile, chunk

ROUNDS = 3
TAGS = ("train_loss_patches/l1_loss", "train_loss_patches/total_loss", "iter_time")  # INRIA's, at every iteration
PICTURES, PICTURE_BYTES = 20, 300_000  # renders of the evaluations, in the same file


def write_events(path: Path, iterations: int) -> None:
    """An event file as INRIA's trainer leaves it."""
    picture = chunk(4, chunk(4, bytes(PICTURE_BYTES)))  # in a summary.proto Image
    with EventFile(path, 1e9) as file:
        for step in range(1, iterations + 1):
            file.add(step, 1e9 + step, dict.fromkeys(TAGS, 1 / step))
            if step % max(iterations // PICTURES, 1) == 0:
                file._append(b"\x10\x01" + chunk(5, chunk(1, chunk(1, b"test/render") + picture)))


def write_jsonl(path: Path, iterations: int) -> None:
    with path.open("w") as file:
        for step in range(1, iterations + 1):
            file.write(json.dumps({"it": step, "l1": 1 / step, "loss": 2 / step, "ms": 10.5, "n": 1000 + step}) + "\n")


def write_text(path: Path, iterations: int) -> None:
    bar = "\rTraining progress:  1%|   | {}/{} [00:01<10:00, 50.1it/s, Loss={:.7f}, Depth Loss=0.0000000]"
    with path.open("w") as file:
        for step in range(10, iterations + 1, 10):
            file.write(bar.format(step, iterations, 1 / step))


def tensorboards(path: Path) -> object:
    """The values of all scalars, as `tensorboard` itself loads them for its plots."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    held = EventAccumulator(str(path), size_guidance={"scalars": 0, "images": 1})
    held.Reload()
    return [(event.step, event.value) for tag in held.Tags()["scalars"] for event in held.Scalars(tag)]


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1.host"
        write_events(path, iterations)
        acts: dict[str, Callable[[Path], object]] = {"ours": read_events}
        if importlib.util.find_spec("tensorboard") is not None:
            acts["tensorboard"] = tensorboards
        print(f"{iterations:,} iterations, {len(TAGS)} tags, {path.stat().st_size / 2**20:.1f} MiB of events")
        print(table(best_ms(acts, path, ROUNDS), "ours"))
        for name, write, read in (("metrics.jsonl", write_jsonl, read_jsonl), ("train.log", write_text, read_log)):
            other = Path(folder) / name
            write(other, iterations)
            print(f"{other.stat().st_size / 2**20:.1f} MiB of {name}")
            print(table(best_ms({name: read}, other, ROUNDS), name))


if __name__ == "__main__":
    main()
