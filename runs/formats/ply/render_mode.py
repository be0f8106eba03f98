"""What the comments of a PLY say about the filter that its splats were trained with."""

import re
from collections.abc import Iterable

# Postshot and splat-transform: `antialiased 0|1`; Brush, and newer gsplat and nerfstudio: `SplatRenderMode: default|mip`.
_MODE = re.compile(r"(?:antialiased|splatrendermode)\s*[: ]\s*(0|1|default|mip)\s*", re.IGNORECASE)


def antialiased(comments: Iterable[str]) -> bool | None:
    """Whether a screen-space filter kept opacity in training; None where no comment says."""
    told = [match[1].lower() for comment in comments if (match := _MODE.fullmatch(comment.strip()))]
    return told[-1] in ("1", "mip") if told else None
