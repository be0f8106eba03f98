"""A log is often all that is left of a crashed training: what it says must be found, and nothing it does not say."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.events import LogEvent
from runs.formats.logs import log_lines
from runs.formats.logs.log_lines import lines
from runs.formats.logs.out_of_memory import HOST_SIGNS, SIGNS, out_of_memory_fields
from runs.formats.logs.textlog import looks_like_log, read_log

GIB, MIB = 2.0**30, 2.0**20
BAR = "Training progress:  {percent}%|##   | {n}/30000 [01:12<05:17, {rate}, Loss={loss}]"

# Wordings as PyTorch has printed them, shortened; the amounts follow public reports (inria#558, 2DGS#97).
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 42.00 MiB (GPU 0; 24.00 GiB total capacity; "
    "53.19 GiB already allocated; 0 bytes free; 53.57 GiB reserved in total by PyTorch) If reserved memory is >> allocated"
)
OLDEST = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total capacity; 5.00 GiB already allocated; "
    "1.00 GiB free; 6.00 GiB cached)"
)
NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.63 GiB. GPU 0 has a total capacity of 44.31 GiB of which "
    "4.50 GiB is free. Including non-PyTorch memory, this process has 39.67 GiB memory in use. Of the allocated memory "
    "35.84 GiB is allocated by PyTorch, and 3.27 GiB is reserved by PyTorch but unallocated. If reserved but unallocated"
)


def logged(folder: Path, *text: str, name: str = "train.log") -> Path:
    path = folder / name
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def kinds(events: tuple[LogEvent, ...]) -> list[tuple[str, int | None]]:
    return [(event.kind, event.iteration) for event in events]


def test_a_healthy_log(tmp_path: Path) -> None:
    """The usual output of a whole training holds evaluations, saves and a loss, and no trouble."""
    log = read_log(
        logged(
            tmp_path,
            "Optimizing output/x",
            "Output folder: output/x [06/05 23:53:10]",
            "Reading camera 211/211 [19/10 09:46:36]",
            "Number of points at initialisation :  164713 [19/10 09:49:05]",
            "\r".join(BAR.format(percent=n // 300, n=n, rate="72.35it/s", loss=f"{0.2 - n / 1e6:.7f}") for n in (0, 10, 7000)),
            "",
            "[ITER 7000] Evaluating test: L1 0.0233 PSNR 23.39 [19/10 09:56:21]",
            "",
            "[ITER 7000] Evaluating train: L1 0.0200 PSNR 25.50 [19/10 09:56:21]",
            "",
            "[ITER 7000] Saving Gaussians [19/10 09:56:21]",
            "[ITER 7000] Saving Checkpoint [19/10 09:56:22]",
            "Rendering progress: 100%|##| 50/50 [00:10<00:00, 5.00it/s]",
            "Training complete. [19/10 10:20:00]",
        )
    )
    assert kinds(log.events) == [("evaluation", 7000), ("evaluation", 7000), ("save", 7000), ("checkpoint", 7000)]
    assert log.events[0].fields == {"test/l1": 0.0233, "test/psnr": 23.39}
    assert log.events[0].source == "train.log:7"
    assert {name: some.values.tolist() for name, some in log.series.items()} == {
        "num_gaussians": [164713],
        "iter_rate": [72.35] * 3,
        "loss/total_ema": [0.2, 0.19999, 0.193],
        "test/l1": [0.0233],
        "test/psnr": [23.39],
        "train/l1": [0.02],
        "train/psnr": [25.5],
    }
    assert log.series["loss/total_ema"].iterations.tolist() == [0, 10, 7000]
    assert log.notes == ()


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            OLD,
            {
                "requested_bytes": 42 * MIB,
                "capacity_bytes": 24 * GIB,
                "allocated_bytes": 53.19 * GIB,
                "free_bytes": 0,
                "reserved_bytes": 53.57 * GIB,
            },
        ),
        (
            OLDEST,
            {
                "requested_bytes": 2 * GIB,
                "capacity_bytes": 8 * GIB,
                "allocated_bytes": 5 * GIB,
                "free_bytes": GIB,
                "reserved_bytes": 6 * GIB,
            },
        ),
        (
            NEW,
            {
                "requested_bytes": 4.63 * GIB,
                "capacity_bytes": 44.31 * GIB,
                "free_bytes": 4.5 * GIB,
                "process_bytes": 39.67 * GIB,
                "allocated_bytes": 35.84 * GIB,
                "unallocated_bytes": 3.27 * GIB,
                "reserved_bytes": (35.84 + 3.27) * GIB,
            },
        ),
        (NEW.replace("capacity", "capacty"), {"capacity_bytes": 44.31 * GIB}),
        ("BufferTooBig(2156988480)", {"requested_bytes": 2156988480}),
        ("numpy._core._exceptions._ArrayMemoryError: Unable to allocate 2.30 GiB for an array", {"requested_bytes": 2.3 * GIB}),
        (
            "RuntimeError: [enforce fail] DefaultCPUAllocator: not enough memory: you tried to allocate 8000000 bytes.",
            {"requested_bytes": 8e6},
        ),
        ("MemoryError: bad allocation: cudaErrorMemoryAllocation: out of memory", {}),
    ],
)
def test_out_of_memory_in_every_wording(text: str, fields: dict[str, float]) -> None:
    """Old and new PyTorch, numpy, and other trainers; amounts that the text does not give stay absent."""
    assert SIGNS.search(text) or HOST_SIGNS.search(text)
    found = out_of_memory_fields(text)
    assert {name: found.get(name) for name in fields} == pytest.approx(fields)
    assert fields or not found


def test_a_crash_after_a_progress_bar_on_the_same_line(tmp_path: Path) -> None:
    """stderr and stdout run into each other; one crash is one event, with its frames and the last iteration seen."""
    log = read_log(
        logged(
            tmp_path,
            BAR.format(percent=37, n=11060, rate="10.40it/s", loss="0.09") + "Traceback (most recent call last):",
            '  File "train.py", line 216, in <module>',
            "    gaussians.densify_and_prune(0.0002)",
            "    ^^^^^^",
            OLD,
        )
    )
    (event,) = log.events
    assert (event.kind, event.iteration, event.source) == ("out_of_memory", 11060, "train.log:1")
    assert "densify_and_prune" in event.text
    assert event.fields["requested_bytes"] == 42 * MIB
    assert log.series["loss/total_ema"].values.tolist() == [0.09]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("RuntimeError: CUDA error: an illegal memory access was encountered", "illegal_access"),
        ("[CUDA ERROR] in cuda_rasterizer/rasterizer_impl.cu", "cuda_error"),
        ("RuntimeError: CUDA error: device-side assert triggered", "device_assert"),
        ("[rank1]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp", "nccl_error"),
        ("Killed", "killed"),
        ("./run.sh: line 3: 12345 Killed                  python train.py -s data", "killed"),
        ("[12345.6] Out of memory: Killed process 4242 (python)", "killed"),
        ("Segmentation fault (core dumped)", "killed"),
        ("loss is nan, stopping", "nan"),
        (OLD, "out_of_memory"),
    ],
)
def test_ways_to_die(tmp_path: Path, line: str, kind: str) -> None:
    """Each is one event of its kind, without an iteration where none was named."""
    assert kinds(read_log(logged(tmp_path, line)).events) == [(kind, None)]


@pytest.mark.parametrize(
    "line",
    [
        "set PYTORCH_CUDA_ALLOC_CONF to avoid running out of memory",
        "using NaN-safe loss; nanmean of views",
        "Killed 3 stale workers",
        "UserWarning: Plan failed with a cudnnException: CUDNN_STATUS_NOT_SUPPORTED",
        "exit code 0",
        "Loading /data/Segmentation/a.png",
        "CUDA errors are reported asynchronously",
        "Reading camera 5/5 [19/10 09:46:36]",
    ],
)
def test_harmless_lines_are_no_trouble(tmp_path: Path, line: str) -> None:
    """A false alarm on a healthy run is the worst that this program can do."""
    log = read_log(logged(tmp_path, line))
    assert log.events == ()
    assert log.series == {}


def test_a_plain_traceback_of_a_distributed_run(tmp_path: Path) -> None:
    """torchrun writes the rank before each line; an unfinished traceback at the end still counts."""
    log = read_log(
        logged(
            tmp_path,
            "[rank0]: Traceback (most recent call last):",
            '[rank0]:   File "a.py"',
            "[rank0]: KeyError: 'x'",
            "Traceback (most recent call last):",
            '  File "b.py"',
        )
    )
    assert kinds(log.events) == [("traceback", None), ("traceback", None)]
    assert log.events[0].text.endswith("KeyError: 'x'")


def test_nan_in_the_progress_bar_is_told_once(tmp_path: Path) -> None:
    """The first iteration matters; thousands of later bars repeat it. The values stay in the series."""
    log = read_log(
        logged(
            tmp_path,
            *(BAR.format(percent=1, n=n, rate="2.00s/it", loss=loss) for n, loss in ((10, "0.5"), (20, "nan"), (30, "nan"))),
        )
    )
    assert kinds(log.events) == [("nan", 20)]
    assert len(log.series["loss/total_ema"]) == 3
    assert log.series["iter_rate"].values.tolist() == [0.5] * 3


@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\xff", "ä".encode()]), max_size=30).map(b"".join),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_lines_of_a_huge_log_keep_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, head: int, tail: int
) -> None:
    """Head and tail hold only whole texts of the file, each at its true line: half a number must never be read as one."""
    path = tmp_path_factory.mktemp("run") / "log"
    path.write_bytes(raw)
    whole = set(lines(path))
    cut = list(lines(path, head, tail))
    assert set(cut) <= whole
    assert len(raw) > head + tail or set(cut) == whole


def test_a_huge_log_is_read_at_both_ends_and_says_so(tmp_path: Path) -> None:
    """Sparse zeros stand for gigabytes of output."""
    path = logged(tmp_path, "Number of points at initialisation : 5")
    with path.open("r+b") as file:
        file.seek(80 * 2**20)
        file.write(b"\nKilled\n")
    log = read_log(path)
    assert kinds(log.events) == [("killed", None)]
    assert log.series["num_gaussians"].values.tolist() == [5]
    assert log.notes == ("16 MiB in the middle of this log were not read; split it to see them",)


@given(
    st.lists(
        st.sampled_from(
            [
                "[ITER ",
                "7000",
                "]",
                " Evaluating test:",
                " L1 ",
                "nan",
                "1e999",
                " PSNR ",
                "9" * 30,
                "Loss=",
                "/30000 [",
                "it/s",
                ", ",
                "\n",
                "\r",
                "Traceback (most recent call last):",
                "  x",
                "CUDA out of memory. Tried to allocate ",
                "1.2.3 GiB",
                "Training progress",
                "\0",
                "\x1b[31m",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_no_text_escapes_as_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Pieces of real lines in any order."""
    path = tmp_path_factory.mktemp("run") / "log"
    path.write_text(text)
    log = read_log(path)
    assert all(len(event.text) <= 2_000 for event in log.events)
    looks_like_log(path)


def test_logs_are_told_from_other_text(tmp_path: Path) -> None:
    """A folder holds READMEs, lists of images and binaries that end in .txt."""
    assert looks_like_log(logged(tmp_path, "[ITER 7000] Saving Gaussians"))
    assert looks_like_log(logged(tmp_path, "x" * 200_000, OLD))
    assert not looks_like_log(logged(tmp_path, "train_000.png", "train_001.png"))
    assert not looks_like_log(logged(tmp_path, "\0[ITER 7000] Saving Gaussians"))
    assert not looks_like_log(tmp_path / "gone")
    assert not looks_like_log(logged(tmp_path, "On the old card: " + OLD, name="notes.txt"))


def test_hostile_lines_cost_linear_time(tmp_path: Path) -> None:
    """Patterns that backtrack would hang the window: a megabyte of near-matches must be read like any other."""
    parts = (
        "1/1 [",
        "9",
        "[ITER 1] Evaluating test: L1 ",
        "Killed  ",
        "gradgrad ",
        "Loss=1e",
        "CUDA out of memory 1.1.1",
        "\x1b[1;",
    )
    log = read_log(logged(tmp_path, *(part * (300_000 // len(part)) for part in parts)))
    assert len(log.events) < 10


@settings(max_examples=300)
@given(st.text("xy\r\n", max_size=60), st.integers(1, 30))
def test_long_lines_are_cut_at_their_end_only(tmp_path_factory: pytest.TempPathFactory, written: str, chunk: int) -> None:
    """The rest of a cut line must never be taken for a line: whatever the size of the pieces that are read."""
    path = tmp_path_factory.mktemp("run") / "log"
    path.write_bytes(written.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_lines, "CHUNK_BYTES", chunk)
        patch.setattr(log_lines, "LONGEST_LINE", 8)
        found = [text for _, text in log_lines.lines(path) if text]
    assert found == [text[:8] for text in written.replace("\r", "\n").split("\n") if text]


def test_a_bar_that_counts_on_towards_another_end_tells_both_plans(tmp_path: Path) -> None:
    """A resume with other settings; a bar of another length that begins again is another stage, and one plan makes no series."""
    def planned(*bars: str) -> dict[int, float] | None:
        path = tmp_path / "train.log"
        path.write_text("\n".join(bars) + "\n", encoding="utf-8")
        series = read_log(path).series.get("planned_iterations")
        return None if series is None else dict(zip(series.iterations.tolist(), series.values.tolist(), strict=True))

    inria = "Training progress:  40%|████| {}/{} [11:06<16:40, 30.0it/s, Loss=0.0800000]"
    assert planned(inria.format(20_000, 50_000), inria.format(20_500, 30_000)) == {20_000: 50_000.0, 20_500: 30_000.0}
    assert planned(inria.format(3_000, 3_000), inria.format(10, 14_000)) is None
    assert planned(inria.format(10, 30_000), inria.format(20, 30_000)) is None
    lichtfeld = "{}/{} | Loss: 0.0712 | Splats: 1,000,000"
    told = planned(lichtfeld.format("20,000", "50,000"), lichtfeld.format("20,010", "30,000"))
    assert told == {20_000: 50_000.0, 20_010: 30_000.0}
