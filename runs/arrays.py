"""The array types that every floor uses; shapes stand beside each array where it is born."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
F16: TypeAlias = NDArray[np.float16]
F32: TypeAlias = NDArray[np.float32]
F64: TypeAlias = NDArray[np.float64]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
U32: TypeAlias = NDArray[np.uint32]
U8: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]
