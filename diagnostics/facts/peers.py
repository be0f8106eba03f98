"""Facts about other runs and published figures that this run may be held against."""

from dataclasses import dataclass, replace
from pathlib import PurePath

from diagnostics.facts import logged  # noqa: F401  (test_psnr)
from diagnostics.reference.compare import Comparison, compared
from diagnostics.reference.peers import Peer, peer_of
from diagnostics.reference.published import KnownScene, Published, published
from diagnostics.reference.recorded import recorded
from diagnostics.reference.scene import recognised, unlike_published
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.run import Run
from runs.series import Series

PEERS = "runs to compare with (--reference RUN, or runs that were recorded)"
SCENE = "a published scene (its data lie in no folder that is called as a published data set's, with a scene of it)"


@dataclass(frozen=True, eq=False)
class EndPoint:
    """This run's held-out PSNR at an iteration of which published rows tell."""

    scene: KnownScene
    iteration: int
    psnr: float
    rows: tuple[Published, ...]
    source: str


@fact(missing=PEERS)
def comparisons(run: Run) -> tuple[Comparison, ...] | None:
    """This run beside each run that the user chose or had recorded."""
    own = peer_of(run)
    return tuple(compared(own, peer) for peer in peers_of(run)) or None


@fact(missing="runs of the same scene with the same settings (--reference RUN, or runs that were recorded)")
def alike_peers(run: Run) -> tuple[Peer, ...] | NotEvaluable | None:
    """Chosen and recorded runs that differ from this one in nothing that is meant."""
    own, others = peer_of(run), peers_of(run)
    alike = tuple(peer for peer in others if not compared(own, peer).unlike)
    if alike or not others:
        return alike or None
    return NotEvaluable((f"a reference run that is alike ({others[0].name} has {compared(own, others[0]).unlike[0]})",))


@fact(missing=SCENE)
def end_point(run: Run, test_psnr: Series) -> EndPoint | NotEvaluable | None:
    """At the latest iteration that is both published and evaluated, where trainer, recipe, photos and split are the published."""
    scene = recognised(run)
    if scene is None:
        return None
    unlike = unlike_published(run, scene)
    if unlike:
        return NotEvaluable(unlike)
    for iteration in reversed(test_psnr.iterations.tolist()):
        rows, psnr = published(scene, run.trainer.name, iteration), test_psnr.at(iteration)
        if rows and psnr is not None:
            return EndPoint(scene, iteration, psnr, rows, test_psnr.source)
    return NotEvaluable((f"an evaluation at a published iteration of {scene.dataset_title} {scene.name}",))


def peers_of(run: Run) -> tuple[Peer, ...]:
    """Those the user chose for this diagnosis first; one that was also recorded counts once."""
    found = {peer.path: peer for peer in (*recorded(run), *(peer_of(other) for other in run.references))}
    chosen = [str(other.path) for other in run.references]
    order = sorted(found, key=lambda path: chosen.index(path) if path in chosen else len(chosen))
    return tuple(_told_apart(found[path], run.name) for path in order)


def _told_apart(peer: Peer, name: str) -> Peer:
    """Many trainings lie in folders of one name: the folder above tells them apart."""
    return replace(peer, name=f"{PurePath(peer.path).parent.name}/{peer.name}") if peer.name == name else peer
