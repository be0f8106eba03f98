"""A step that numba cannot be talked into: adding one vector of lanes to another that lies anywhere in the same buffer.

LLVM vectorises a loop over the lanes of a segment only if it can prove that what it writes and what it reads do not
overlap. Sums at a fixed place and pixels at a moving one defeat that proof; here the vector instructions are written out.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]  # ships no type information
from numba import types
from numba.extending import intrinsic

from render.raster.layout_training import LANES
from runs.arrays import Array


def _declare_add(typing: Any, buffer: Any, target: Any, source: Any, factor: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = context.get_data_type(buffer.dtype)
        lanes = ir.VectorType(number, LANES)
        places = [builder.bitcast(builder.gep(view.data, [at]), lanes.as_pointer()) for at in arguments[1:3]]
        alignment = context.get_abi_sizeof(number)
        total, added = (builder.load(place, align=alignment) for place in places)
        everywhere = builder.insert_element(ir.Constant(lanes, ir.Undefined), arguments[3], ir.IntType(32)(0))
        everywhere = builder.shuffle_vector(everywhere, everywhere, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))
        scaled = builder.fmul(added, everywhere, flags=["contract"])
        builder.store(builder.fadd(total, scaled, flags=["contract"]), places[0], align=alignment)
        return context.get_dummy_value()

    return types.void(buffer, types.uint64, types.uint64, buffer.dtype), generate


# add_lanes(buffer, target, source, factor): buffer[target + j] += factor·buffer[source + j] for each lane j; kernels only.
add_lanes = cast(Callable[[Array, Any, Any, Any], None], intrinsic(_declare_add))
