"""How a training died decides what the user is told to do: each wording of public reports is told apart, with its numbers."""

from pathlib import Path

import pytest

from runs.formats.logs.textlog import read_log
from runs.formats.logs.troubles import deepest_frame, trouble_of

KIB, MIB, GIB = 2.0**10, 2.0**20, 2.0**30

# The line as a public report quotes it, the report, and what it says.
REPORTS = [
    ("graphdeco-inria#558",
     "RuntimeError: CUDA out of memory. Tried to allocate 42.00 MiB (GPU 0; 24.00 GiB total capacity; 53.19 GiB "
     "already allocated; 0 bytes free; 53.57 GiB reserved in total by PyTorch) If reserved memory is >> allocated "
     "memory try setting max_split_size_mb to avoid fragmentation.",
     "out_of_memory", {"requested_bytes": 42 * MIB, "capacity_bytes": 24 * GIB, "allocated_bytes": 53.19 * GIB,
      "free_bytes": 0, "reserved_bytes": 53.57 * GIB}),
    ("2d-gaussian-splatting#97",
     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 35.79 GiB (GPU 0; 23.49 GiB total capacity;"
     " 990.78 MiB already allocated; 21.66 GiB free; 1.14 GiB reserved in total by PyTorch)",
     "out_of_memory", {"requested_bytes": 35.79 * GIB, "capacity_bytes": 23.49 * GIB, "allocated_bytes": 990.78 * MIB,
      "free_bytes": 21.66 * GIB, "reserved_bytes": 1.14 * GIB}),
    ("gauss_gym#11",
     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.63 GiB. GPU 0 has a total capacty of "
     "44.31 GiB of which 4.63 GiB is free. Including non-PyTorch memory, this process has 39.67 GiB memory in use. "
     "Of the allocated memory 35.84 GiB is allocated by PyTorch, and 3.27 GiB is reserved by PyTorch but "
     "unallocated.",
     "out_of_memory", {"requested_bytes": 4.63 * GIB, "capacity_bytes": 44.31 * GIB, "free_bytes": 4.63 * GIB,
      "process_bytes": 39.67 * GIB, "allocated_bytes": 35.84 * GIB, "unallocated_bytes": 3.27 * GIB,
      "reserved_bytes": 39.11 * GIB}),
    ("graphdeco-inria#587",
     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 67109892.01 GiB. GPU 0 has a total capacty "
     "of 23.69 GiB of which 17.17 GiB is free.",
     "wild_request", {"requested_bytes": 67109892.01 * GIB, "capacity_bytes": 23.69 * GIB, "free_bytes": 17.17 * GIB}),
    ("pixelsplat#45",
     "RuntimeError: CUDA out of memory. Tried to allocate 87964.63 GiB (GPU 0; 44.56 GiB total capacity; 1.60 GiB "
     "already allocated; 41.18 GiB free; 1.66 GiB reserved in total by PyTorch)",
     "wild_request", {"requested_bytes": 87964.63 * GIB, "capacity_bytes": 44.56 * GIB, "allocated_bytes": 1.6 * GIB,
      "free_bytes": 41.18 * GIB, "reserved_bytes": 1.66 * GIB}),
    ("graphdeco-inria#99",
     "MemoryError: bad allocation: cudaErrorMemoryAllocation: out of memory", "out_of_memory", {}),
    ("graphdeco-inria#740",
     "MemoryError: std::bad_alloc: cudaErrorMemoryAllocation: out of memory", "out_of_memory", {}),
    ("splatfacto-w#6",
     "RuntimeError: CUDA error: out of memory", "out_of_memory", {}),
    ("brush#500",
     "BufferTooBig(2156988480)", "out_of_memory", {"requested_bytes": 2156988480}),
    ("nerfstudio#2970",
     "RuntimeError: [enforce fail at alloc_cpu.cpp:80] data. DefaultCPUAllocator: not enough memory: you tried to "
     "allocate 93361766400 bytes.", "out_of_host_memory", {"requested_bytes": 93361766400}),
    ("mip-splatting#20",
     "RuntimeError: CUDA error: an illegal memory access was encountered", "illegal_access", {}),
    ("nerfstudio#3198",
     "[rank1]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1,"
     " OpType=ALLGATHER, NumelIn=1, NumelOut=8, Timeout(ms)=1800000) ran for 1800708 milliseconds before timing out.",
     "nccl_error", {"timeout_ms": 1800000, "ran_ms": 1800708}),
    ("nerfstudio#3198",
     "[rank1]:[E ProcessGroupNCCL.cpp:537] Some NCCL operations have failed or timed out. Due to the asynchronous "
     "nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.", "nccl_error", {}),
    ("2d-gaussian-splatting#229",
     "RuntimeError: Function _RasterizeGaussiansBackward returned an invalid gradient at index 1 - got [182686, 4] "
     "but expected shape compatible with [182686, 3]", "invalid_gradient", {"index": 1, "rows": 182686}),
    ("graphdeco-inria#472",
     "RuntimeError: Function _GaussRasterizerFunctionBackward returned an invalid gradient at index 3 - got [0, 0, "
     "3] but expected shape compatible with [0, 16, 3]", "invalid_gradient", {"index": 3, "rows": 0}),
    ("InstantSplat#41",
     "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.", "environment", {}),
    ("graphdeco-inria#140",
     "ModuleNotFoundError: No module named 'diff_gaussian_rasterization'", "environment", {}),
    ("graphdeco-inria#701",
     "ImportError: DLL load failed while importing _C: The specified program cannot be found.", "environment", {}),
    ("graphdeco-inria#306",
     "ImportError: DLL load failed: Die angegebene Prozedur wurde nicht gefunden.", "environment", {}),
    ("taming-3dgs#11",
     "ImportError: /root/miniconda3/envs/3dgs/lib/python3.10/site-"
     "packages/diff_gaussian_rasterization/_C.cpython-310-x86_64-linux-gnu.so: undefined symbol: "
     "_Z18fusedssim_backwardffRN2at6TensorES1_S1_S1_S1_S1_", "environment", {}),
    ("gaussian-head#13",
     "The detected CUDA version (12.3) mismatches the version that was used to compile", "environment", {}),
    ("gsplat#266",
     "RuntimeError: Failed to set maximum shared memory size (requested 7168 bytes), try lowering tile_size.", "cuda_error", {}),
    ("detectron2#252",
     "RuntimeError: CUDA error: no kernel image is available for execution on the device", "no_kernel", {}),
    ("CellBender#301",
     "RuntimeError: [enforce fail at inline_container.cc:445] . PytorchStreamWriter failed writing file data/9: file"
     " write failed", "disk_error", {}),
    ("torchforge#568",
     "RuntimeError: [enforce fail at inline_container.cc:664] . unexpected pos 704 vs 598", "disk_error", {}),
]


@pytest.mark.parametrize(("line", "kind", "fields"), [pytest.param(*case[1:], id=f"{case[0]} {case[2]}") for case in REPORTS])
def test_each_wording_of_the_reports(line: str, kind: str, fields: dict[str, float]) -> None:
    """The numbers decide between a lack of memory, a fragmented one, and a garbled request."""
    trouble = trouble_of(line)
    assert trouble is not None
    assert trouble.kind == kind
    assert trouble.fields(line) == pytest.approx(fields)


@pytest.mark.parametrize(("line", "kind"), [
    ("terminate called after throwing an instance of 'std::bad_alloc'", "out_of_host_memory"),
    ("OSError: [Errno 28] No space left on device: 'output/x/point_cloud.ply'", "disk_error"),
    ("OSError: [Errno 122] Disk quota exceeded", "disk_error"),
    ("../aten/src/ATen/native/cuda/Indexing.cu:1292: block: device-side assert triggered", "device_assert"),
    ("RuntimeError: CUDA error: misaligned address", "illegal_access"),
    ("Line 326: out of memory", "out_of_memory"), ("Line 326: an illegal memory access was encountered", "illegal_access"),
    ("torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1331, ncclUnhandledCudaError", "nccl_error"),
    ("RuntimeError: Found no NVIDIA driver on your system.", "environment"),
    ("exit code: 137", "killed"),
])
def test_ways_to_die_that_torch_and_the_system_word_themselves(line: str, kind: str) -> None:
    """One kind each: what to do differs."""
    trouble = trouble_of(line)
    assert trouble is not None
    assert trouble.kind == kind


@pytest.mark.parametrize("line", [
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
    "No CUDA runtime is found, using CUDA_HOME='C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8'",
    "UserWarning: The detected CUDA version (11.6) has a minor version mismatch with the version that compiled PyTorch",
    "Tensorboard not available: not logging progress [26/10 11:28:55]",
    "[ INFO ] Encountered quite large input images (>1.6K pixels width), rescaling to 1.6K.",
    "torch.save wrote 2.1 GB", "NCCL version 2.19.3+cuda12.3", "gradient at index 3", "nan_to_num applied to the loss",
    "warning: module not found, skipping ImportError handling",
])
def test_lines_of_a_healthy_training_are_no_trouble(line: str) -> None:
    """A false alarm on a healthy run is the worst that this program can do."""
    assert trouble_of(line) is None


TRACE = """Training progress:   9%|9 | 3100/30000 [01:10<10:00, 44.2it/s, Loss=0.2]Traceback (most recent call last):
  File "train.py", line 219, in <module>
    training(lp.extract(args), op.extract(args))
  File "/home/user/gaussian-splatting/scene/gaussian_model.py", line 380, in densify_and_split
    self.densification_postfix(new_xyz)
  File "/home/user/miniconda3/envs/gs/lib/python3.8/site-packages/torch/_tensor.py", line 396, in backward
    torch.autograd.backward(self)
RuntimeError: Function _RasterizeGaussiansBackward returned an invalid gradient at index 2 - got [0, 0, 3] but expected shape
"""


def test_where_the_trainers_own_code_stood(tmp_path: Path) -> None:
    """Frames of torch say little: the deepest one of the trainer names what it was doing."""
    (tmp_path / "train.log").write_text(TRACE)
    (event,) = read_log(tmp_path / "train.log").events
    assert (event.kind, event.iteration) == ("invalid_gradient", 3100)
    assert event.frame == "scene/gaussian_model.py:380 in densify_and_split"
    assert event.fields == {"index": 2, "rows": 0}
    assert event.text.endswith("expected shape")


@pytest.mark.parametrize(("lines", "frame"), [
    ([], ""),
    (['  File "C:\\x\\gs\\train.py", line 7, in <module>'], "gs/train.py:7 in <module>"),
    (['  File "/usr/lib/python3.11/threading.py", line 9, in run'], "python3.11/threading.py:9 in run"),
])
def test_frames_of_other_shapes(lines: list[str], frame: str) -> None:
    """Windows paths, and tracebacks without a frame of the trainer."""
    assert deepest_frame(lines) == frame
