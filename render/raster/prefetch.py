"""A hint to the processor to fetch a row of a table before a kernel reads it.

Tiles list their splats by depth, so their rows lie scattered over memory: without the hint the blending
kernel waits for memory half of its time (measured: 455 against 214 ms of one core for 1 M splats).
"""

from collections.abc import Callable
from typing import Any, Final, cast

from llvmlite import ir  # type: ignore[import-untyped]  # ships no type information
from numba import types
from numba.extending import intrinsic

from runs.arrays import Array

AHEAD: Final = 8  # entries: about the time that memory takes to answer
READ, KEEP, DATA = 0, 3, 1  # llvm.prefetch: for reading, into all caches, not code


def _declare(typing: Any, table: Any, row: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001  (numba's protocol)
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(view.strides, 0)
        offset = builder.mul(builder.sext(arguments[1], stride.type), stride)
        start = builder.add(builder.ptrtoint(view.data, stride.type), offset)
        address, flag = builder.inttoptr(start, ir.IntType(8).as_pointer()), ir.IntType(32)
        takes = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], takes)
        builder.call(fetch, [address, flag(READ), flag(KEEP), flag(DATA)])
        return context.get_dummy_value()

    return types.void(table, types.int32), generate


# prefetch_row(table, row): for kernels only; `row` is an int32 inside the table.
prefetch_row = cast(Callable[[Array, int], None], intrinsic(_declare))
