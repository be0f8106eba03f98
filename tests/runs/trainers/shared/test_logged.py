"""The logs of one folder become one set of curves: who wins where files overlap decides what a user reads."""

from pathlib import Path

from runs.notes import NoteBook
from runs.trainers.shared.logged import Logged
from tests.support.event_writer import event, simple_value


def test_metrics_beat_events_and_each_file_adds_what_only_it_has(tmp_path: Path) -> None:
    """float64 per iteration beats float32 every tenth; the source names every file that gave a value."""
    (tmp_path / "metrics.jsonl").write_text('{"it": 10, "loss": 0.1}\n{"it": 20, "loss": 0.2}\n')
    (tmp_path / "events.out.tfevents.1.host").write_bytes(
        event(20, 1.0, [simple_value("train_loss_patches/total_loss", 9.0)])
        + event(30, 2.0, [simple_value("train_loss_patches/total_loss", 0.5)])
    )
    (tmp_path / "results.json").write_text('{"ours_30": {"PSNR": 25.5}}')
    (tmp_path / "train.log").write_text("[ITER 30] Evaluating test: L1 0.1 PSNR 25.0 [01/01 00:00:00]\n")
    logged = Logged(tmp_path, NoteBook())
    assert logged.series["loss/total"].values.tolist() == [0.1, 0.2, 0.5]
    assert logged.series["loss/total"].source == "metrics.jsonl, events.out.tfevents.1.host"
    assert logged.series["test/psnr"].values.tolist() == [25.5]
    assert logged.series["test/l1"].source == "train.log"
    assert [event.kind for event in logged.events] == ["evaluation"]


def test_a_restart_is_told(tmp_path: Path) -> None:
    """Curves jump there for no fault of the training."""
    for name, steps, time in (("events.out.tfevents.2.host", (10, 20, 30), 1.0), ("events.out.tfevents.1.host", (20, 30), 9.0)):
        (tmp_path / name).write_bytes(
            b"".join(event(step, time + step / 100, [simple_value("iter_time", time)]) for step in steps)
        )
    book = NoteBook()
    assert Logged(tmp_path, book).series["iter_time"].values.tolist() == [1, 9, 9]
    assert [note.says for note in book] == [
        "logging began again at iteration 20; the later values are shown, move their event file away to see the earlier",
    ]


CRASH = """[ITER 7000] Saving Gaussians [29/11 18:05:01]
Training progress:  40%|####      | 12010/30000 [03:50<05:00, 62.31it/s, Loss=0.09]Traceback (most recent call last):
  File "train.py", line 281, in <module>
    training(lp.extract(args), op.extract(args))
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.54 GiB (GPU 0; 23.69 GiB total capacity)
"""


def test_how_a_training_died_is_told(tmp_path: Path) -> None:
    """Only one iteration was saved, and nothing else in the folder says why."""
    (tmp_path / "train.log").write_text(CRASH)
    book = NoteBook()
    assert [event.kind for event in Logged(tmp_path, book).events] == ["save", "out_of_memory"]
    assert [note.says for note in book] == [
        "the last event of this log is an error (line 2, iteration 12,010): \"torch.cuda.OutOfMemoryError: CUDA out of memory. "
        "Tried to allocate 2.54 GiB (GPU 0; 23.69 GiB total capacity)\"; read the lines before it for where it came from",
    ]


def test_an_error_that_training_survived_is_not_its_end(tmp_path: Path) -> None:
    """A viewer that disconnects, or an earlier attempt in the same log, must not read as the end."""
    (tmp_path / "train.log").write_text(CRASH + "[ITER 30000] Saving Gaussians [29/11 19:05:01]\n")
    book = NoteBook()
    assert len(Logged(tmp_path, book).events) == 3
    assert list(book) == []
