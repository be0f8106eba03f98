"""Troubles of maps, compressed copies and tags, judged only where there are such; nobody has verified any of them."""

from diagnostics.facts.novel_map import Compressed, Pieces, Tags
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent


@detects("map-fragments")
def map_fragments(pieces: Pieces, *, second: float = 0.1) -> Finding | None:
    """A map consists of two large parts with nothing between them."""
    if len(pieces.shares) < 2 or pieces.shares[1] < second:
        return None
    return Finding(
        f"The map falls into parts: the largest two hold {percent(pieces.shares[0])} and {percent(pieces.shares[1])} of the "
        f"visible Gaussians, more than {pieces.gap:.2g} world units apart",
        evidence=(
            EvidenceRow("Gaussians in the second part", pieces.shares[1], second, "share", pieces.iteration, pieces.source),
            EvidenceRow("Gaussians in the largest part", pieces.shares[0], None, "share", pieces.iteration, pieces.source),
            EvidenceRow("narrowest gap that parts them", pieces.gap, None, "world units", pieces.iteration, pieces.source),
        ),
        iterations=(pieces.iteration, pieces.iteration), confidence=0.5,
        gaussians=GaussianPlace(pieces.second, pieces.iteration, pieces.of), facts={"second": percent(pieces.shares[1])},
    )


@detects("quality-lost-by-compression")
def compression_loss(compressed: Compressed, *, psnr_db: float = 35.0, lost: float = 0.05) -> Finding | None:
    """A compressed copy looks visibly different from the save that it was made of."""
    told = compressed
    if told.psnr_db >= psnr_db and told.visible_lost <= lost:
        return None
    return Finding(
        f"{told.after} ({told.format}, {told.times_smaller:.1f} times smaller) looks different from {told.before}: "
        f"{told.psnr_db:.1f} dB over {told.views} views drawn of both, {percent(told.visible_lost)} of the visible Gaussians are "
        f"gone, harmonics of degree {told.degrees[1]} instead of {told.degrees[0]}",
        evidence=(
            EvidenceRow("PSNR of views of the copy against those of the save, mean", told.psnr_db, psnr_db, "dB", told.iteration,
                        told.after),
            EvidenceRow("visible Gaussians that the copy lacks", told.visible_lost, lost, "share", told.iteration, told.after),
            EvidenceRow("Gaussians in the save", told.counts[0], None, "Gaussians", told.iteration, told.before),
            EvidenceRow("Gaussians in the copy", told.counts[1], None, "Gaussians", told.iteration, told.after),
            EvidenceRow("degree of harmonics in the copy", told.degrees[1], told.degrees[0], "", told.iteration, told.after),
        ),
        confidence=0.7, facts={"before": told.before, "after": told.after, "format": told.format},
    )


@detects("tags-lost-on-densify")
def tags_lost(tags: Tags, *, risen: float = 0.2, tagged: float = 0.5) -> Finding | None:
    """Most Gaussians had a tag; then the count grew, and many have none, or the column is gone."""
    grew = tags.counts[1] > tags.counts[0]
    gone = tags.later is None
    rise = 1 - tags.earlier if tags.later is None else tags.later - tags.earlier
    if tags.earlier > tagged or not (gone or (grew and rise > risen)):
        return None
    later = 1.0 if tags.later is None else tags.later
    told = "and the column is gone" if gone else f"and {percent(later)} have no {tags.name}"
    return Finding(
        f"{percent(1 - tags.earlier)} of {tags.counts[0]:,} Gaussians had a {tags.name} at iteration {tags.iterations[0]:,}; at "
        f"{tags.iterations[1]:,} there are {tags.counts[1]:,}, {told}",
        evidence=(
            EvidenceRow(f"Gaussians without {tags.name}, now less then", rise, risen, "share", tags.iterations[1], tags.source),
            EvidenceRow("the same in the earlier save", tags.earlier, tagged, "share", tags.iterations[0], tags.source),
            EvidenceRow("Gaussians", tags.counts[1], tags.counts[0], "Gaussians", tags.iterations[1], tags.source),
        ),
        iterations=tags.iterations, confidence=0.7, facts={"tag": tags.name},
        gaussians=GaussianPlace(tags.untagged, tags.iterations[1], tags.counts[1]) if len(tags.untagged) else None,
    )
