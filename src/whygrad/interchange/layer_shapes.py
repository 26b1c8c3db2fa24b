"""What shape each layer gives, and which weights it has in which shapes. No framework is asked, nothing allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.layer_kinds import MERGES

Shape = tuple[int, ...]
"""Without the batch."""


def shape_after(name: str, kind: str, settings: dict[str, Any], inputs: Sequence[Shape]) -> Shape:
    """The shape of what a layer gives for inputs of these shapes."""
    _count(name, kind, inputs)
    if kind == "InputLayer":
        return tuple(settings["shape"])
    if kind in MERGES:
        return _merged(name, kind, settings, inputs)
    shape = inputs[0]
    _rank(name, kind, shape)
    if kind == "Dense":
        return (*shape[:-1], settings["units"])
    if kind in ("Conv1D", "Conv2D"):
        return (*_slid(name, kind, settings, shape, "kernel_size"), settings["filters"])
    if kind == "DepthwiseConv2D":
        return (*_slid(name, kind, settings, shape, "kernel_size"), shape[-1] * settings["depth_multiplier"])
    if kind.startswith(("Max", "Average")):
        return (*_slid(name, kind, settings, shape, "pool_size"), shape[-1])
    if kind.startswith("Global"):
        return (shape[-1],)
    if kind == "Flatten":
        return (math.prod(shape),)
    if kind == "Reshape":
        return _reshaped(name, settings["target_shape"], shape)
    if kind == "Permute":
        if sorted(settings["dims"]) != list(range(1, len(shape) + 1)):
            raise BadModel(f"the layer {name!r} (Permute) has dims={settings['dims']} for an input of {list(shape)}.")
        return tuple(shape[n - 1] for n in settings["dims"])
    if kind == "ZeroPadding2D":
        (top, bottom), (left, right) = settings["padding"]
        return (shape[0] + top + bottom, shape[1] + left + right, shape[2])
    if kind in ("BatchNormalization", "LayerNormalization", "Softmax", "Mean"):
        if settings["axis"] not in (-1, len(shape)):
            raise BadModel(
                f"the layer {name!r} ({kind}) works along axis {settings['axis']} of a batch of {list(shape)}; only "
                "the last axis is supported."
            )
        if kind == "Mean":
            return (*shape[:-1], 1) if settings["keepdims"] else shape[:-1]
    return shape


def weight_shapes(kind: str, settings: dict[str, Any], inputs: Sequence[Shape]) -> dict[str, Shape]:
    """The weights of a layer by name, in Keras' order."""
    if kind in ("BatchNormalization", "LayerNormalization"):
        size = (inputs[0][-1],)
        roles = ["gamma"] * settings["scale"] + ["beta"] * settings["center"]
        return dict.fromkeys((*roles, *(_MOVING if kind == "BatchNormalization" else ())), size)
    if kind == "Dense":
        found: dict[str, Shape] = {"kernel": (inputs[0][-1], settings["units"])}
    elif kind in ("Conv1D", "Conv2D"):
        found = {"kernel": (*settings["kernel_size"], inputs[0][-1], settings["filters"])}
    elif kind == "DepthwiseConv2D":
        found = {"depthwise_kernel": (*settings["kernel_size"], inputs[0][-1], settings["depth_multiplier"])}
    else:
        return {}
    if settings["use_bias"]:
        (kernel,) = found.values()
        found["bias"] = (kernel[-1] if kind != "DepthwiseConv2D" else kernel[-1] * kernel[-2],)
    return found


_MOVING = ("moving_mean", "moving_variance")


def _count(name: str, kind: str, inputs: Sequence[Shape]) -> None:
    wanted = 0 if kind == "InputLayer" else 2 if kind in MERGES else 1
    if len(inputs) < wanted or (wanted < 2 and len(inputs) > wanted) or (kind == "Subtract" and len(inputs) != 2):
        raise BadModel(f"the layer {name!r} ({kind}) has {len(inputs)} inputs; it needs {wanted}.")


def _rank(name: str, kind: str, shape: Shape) -> None:
    wanted = 2 if "1D" in kind else 3 if "2D" in kind else None
    if wanted is not None and len(shape) != wanted:
        raise BadModel(
            f"the layer {name!r} ({kind}) is fed with {list(shape)}; it needs {wanted} axes beside the batch."
        )
    if not shape and kind != "Flatten":
        raise BadModel(f"the layer {name!r} ({kind}) is fed with single numbers; it needs at least one axis.")


def _slid(name: str, kind: str, settings: dict[str, Any], shape: Shape, window: str) -> Shape:
    """The places of a window that slides over all axes but the last."""
    sizes = settings[window]
    strides = settings["strides"] or sizes
    dilation = settings.get("dilation_rate") or [1] * len(sizes)
    found = []
    for length, size, stride, rate in zip(shape, sizes, strides, dilation, strict=False):
        reach = (size - 1) * rate + 1
        places = -(-length // stride) if settings["padding"] in ("same", "causal") else (length - reach) // stride + 1
        if places < 1:
            raise BadModel(f"the layer {name!r} ({kind}) has a window of {sizes} for an input of only {list(shape)}.")
        found.append(places)
    return tuple(found)


def _reshaped(name: str, target: Sequence[int], shape: Shape) -> Shape:
    total = math.prod(shape)
    rest = math.prod(n for n in target if n != -1)
    if list(target).count(-1) == 1 and rest > 0 and total % rest == 0:
        return tuple(total // rest if n == -1 else n for n in target)
    if -1 in target or rest != total:
        raise BadModel(f"the layer {name!r} (Reshape) cannot make {list(target)} of {list(shape)}.")
    return tuple(target)


def _merged(name: str, kind: str, settings: dict[str, Any], inputs: Sequence[Shape]) -> Shape:
    first = inputs[0]
    if kind == "Concatenate":
        axis = settings["axis"] if settings["axis"] < 0 else settings["axis"] - 1 - len(first)
        alike = all(len(one) == len(first) for one in inputs) and -len(first) <= axis < 0
        place = len(first) + axis
        if alike and all(one[:place] + one[place + 1 :] == first[:place] + first[place + 1 :] for one in inputs):
            return (*first[:place], sum(one[place] for one in inputs), *first[place + 1 :])
    elif all(len(one) == len(first) for one in inputs):
        sides = [set(side) - {1} for side in zip(*inputs, strict=True)]
        if all(len(side) < 2 for side in sides):
            return tuple(side.pop() if side else 1 for side in sides)
    raise BadModel(f"the layer {name!r} ({kind}) cannot join {', '.join(str(list(one)) for one in inputs)}.")
