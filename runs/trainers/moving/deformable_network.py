"""The network of Deformable-3D-Gaussians that moves each Gaussian: position and time in, what is added to it out.

Formulas: Yang et al. 2024 (arXiv 2309.13101), section 3.2, with the sizes of `utils/time_utils.py` at ac42372. Every size
that the stored shapes tell is taken from them.
"""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, Array
from runs.trainers.moving.layers import Linear, Misfit, State, linear, relu

FEWEST_LAYERS = 3  # with fewer the input would be joined to the output, which no version does
OCTAVES = 10  # of position and of time, where the shapes do not tell one from the other
AXIS_OFFSET = np.float32(1e-5)  # the trainer adds it to both halves of a screw axis


@dataclass(frozen=True, eq=False)
class DeformNetwork:
    """Layers in order; the input is joined to the output of layer `skip`."""

    layers: tuple[Linear, ...]
    skip: int
    octaves: int  # of the position's encoding
    time_octaves: int
    time_net: tuple[Linear, Linear] | None  # with the setting is_blender
    warp: Linear | None  # None: the positions move by a screw instead (is_6dof)
    screw: tuple[Linear, Linear] | None  # axis of rotation, translation
    rotation: Linear
    scaling: Linear

    def hidden(self, means: F32, time: float) -> F32:
        """float32 [n, width]: what the heads read."""
        entered = self._entered(means, time)
        x = entered
        for index, layer in enumerate(self.layers):
            x = relu(layer(x))
            if index == self.skip:
                x = np.hstack([entered, x])
        return x

    def _entered(self, means: F32, time: float) -> F32:
        moment = encoded(np.full((1, 1), time, np.float32), self.time_octaves)
        if self.time_net is not None:
            moment = self.time_net[1](relu(self.time_net[0](moment)))
        return np.hstack([encoded(means, self.octaves), np.broadcast_to(moment, (len(means), moment.shape[1]))])

    def moved(self, means: F32, hidden: F32) -> F32:
        """float32 [n, 3]: where the Gaussians are."""
        if self.warp is not None:
            return means + self.warp(hidden)
        assert self.screw is not None  # `read_network` gives one of them
        return screwed(means, self.screw[0](hidden), self.screw[1](hidden))


def read_network(state: State) -> DeformNetwork:
    """The network in a state_dict of `deform.pth`. Raises Misfit where shapes are not those of one."""
    count = sum(name.startswith("linear.") and name.endswith(".weight") for name in state)
    if count < FEWEST_LAYERS:
        raise Misfit(f"has {count} layers, fewer than the trainer builds")
    first, skip = linear(state, "linear.0"), count // 2
    width = first.outputs
    inner = tuple(
        linear(state, f"linear.{i}", width + (first.inputs if i == skip + 1 else 0), width) for i in range(1, count)
    )
    time_net = _time_net(state)
    octaves, time_octaves = _octaves(first.inputs, time_net)
    turning = "branch_w.weight" in state
    return DeformNetwork(
        (first, *inner), skip, octaves, time_octaves, time_net,
        warp=None if turning else linear(state, "gaussian_warp", width, 3),
        screw=(linear(state, "branch_w", width, 3), linear(state, "branch_v", width, 3)) if turning else None,
        rotation=linear(state, "gaussian_rotation", width, 4), scaling=linear(state, "gaussian_scaling", width, 3),
    )


def _time_net(state: State) -> tuple[Linear, Linear] | None:
    if not any(name.startswith("timenet.") for name in state):
        return None
    first = linear(state, "timenet.0")
    return first, linear(state, "timenet.2", first.outputs)


def _octaves(inputs: int, time_net: tuple[Linear, Linear] | None) -> tuple[int, int]:
    """Of position and time: an encoding of d numbers over k octaves has d·(1 + 2k) numbers."""
    if time_net is None:
        if inputs != 3 * (1 + 2 * OCTAVES) + (1 + 2 * OCTAVES):
            raise Misfit(f"takes {inputs} numbers, of which nothing tells how many encode the time")
        return OCTAVES, OCTAVES
    spatial, temporal = inputs - time_net[1].outputs, time_net[0].inputs
    if spatial < 3 or spatial % 6 != 3 or temporal % 2 != 1:
        raise Misfit(f"takes {inputs} numbers, which is no encoding of a position and a moment")
    return (spatial // 3 - 1) // 2, (temporal - 1) // 2


def encoded(x: F32, octaves: int) -> F32:
    """float32 [n, d·(1 + 2k)]: x, then sin(2^i x) and cos(2^i x) octave by octave (Mildenhall et al. 2020, without the π)."""
    parts = [x]
    for octave in range(octaves):
        scaled = x * np.float32(2**octave)
        parts += [np.sin(scaled), np.cos(scaled)]
    return np.hstack(parts)


def screwed(means: F32, axis: F32, shift: F32) -> F32:
    """Points moved by the exponential of screws [n, 3] + [n, 3] (Lynch and Park, Modern Robotics, 3.51 and 3.88).

    The angle is the length of `axis`; both parts are divided by it, and no axis is quite of unit length, as in the trainer.
    """
    angle = np.linalg.norm(axis, axis=1, keepdims=True)
    w, v = axis / angle + AXIS_OFFSET, shift / angle + AXIS_OFFSET
    sine, rest = np.sin(angle), 1 - np.cos(angle)
    turned = means + sine * _cross(w, means) + rest * _cross(w, _cross(w, means))
    return np.asarray(turned + angle * v + rest * _cross(w, v) + (angle - sine) * _cross(w, _cross(w, v)), np.float32)


def _cross(one: Array, other: Array) -> Array:
    return np.cross(one, other)
