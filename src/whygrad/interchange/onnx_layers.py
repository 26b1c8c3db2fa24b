"""How each layer is said in ONNX. Between layers tensors have their channels last; its convolutions want them first."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whygrad.interchange.graph import Node
from whygrad.interchange.layer_shapes import Shape

if TYPE_CHECKING:
    from whygrad.interchange.onnx_writing import Sheet


@dataclass(frozen=True, slots=True)
class Feed:
    """A layer, the tensors it is fed with, and their shapes."""

    node: Node
    tensors: list[str]
    shapes: list[Shape]

    @property
    def settings(self) -> dict[str, Any]:
        """Of the layer."""
        return self.node.settings


def _dense(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    found = sheet.add("MatMul", [feed.tensors[0], sheet.constant(feed.node.weights["kernel"])])
    if "bias" in feed.node.weights:
        found = sheet.add("Add", [found, sheet.constant(feed.node.weights["bias"])])
    return activated(sheet, found, feed.settings["activation"])


def _convolution(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    weights, settings = feed.node.weights, feed.settings
    axes = len(settings["kernel_size"])
    groups = 1
    if feed.node.kind == "DepthwiseConv2D":
        kernel = weights["depthwise_kernel"]
        groups = kernel.shape[-2]
        kernel = kernel.reshape(*kernel.shape[:axes], 1, -1)
    else:
        kernel = weights["kernel"]
    inputs = [_first(sheet, feed.tensors[0], axes), sheet.constant(np.moveaxis(kernel, (-1, -2), (0, 1)))]
    if "bias" in weights:
        inputs.append(sheet.constant(weights["bias"]))
    found = sheet.add(
        "Conv", inputs, kernel_shape=settings["kernel_size"], group=groups, **_sliding(feed, "kernel_size"),
        dilations=settings["dilation_rate"],
    )  # fmt: skip
    if settings["activation"] in _ALONG_CHANNELS:
        return activated(sheet, _last(sheet, found, axes), settings["activation"])
    return _last(sheet, activated(sheet, found, settings["activation"]), axes)


def _pooling(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    axes = len(feed.settings["pool_size"])
    operation = "MaxPool" if feed.node.kind.startswith("Max") else "AveragePool"
    found = sheet.add(
        operation, [_first(sheet, feed.tensors[0], axes)], kernel_shape=feed.settings["pool_size"],
        **_sliding(feed, "pool_size"),
    )  # fmt: skip
    return _last(sheet, found, axes)


def _sliding(feed: Feed, window: str) -> dict[str, Any]:
    """Strides and the zeros around the edges. As in TensorFlow, where they are uneven the end gets one more."""
    sizes = feed.settings[window]
    strides = feed.settings["strides"] or sizes
    rates = feed.settings.get("dilation_rate") or [1] * len(sizes)
    if feed.settings["padding"] == "valid":
        return {"strides": strides}
    before, after = [], []
    for length, size, stride, rate in zip(feed.shapes[0], sizes, strides, rates, strict=False):
        reach = (size - 1) * rate + 1
        missing = max(0, (-(-length // stride) - 1) * stride + reach - length)
        causal = feed.settings["padding"] == "causal"
        before.append(reach - 1 if causal else missing // 2)
        after.append(0 if causal else missing - missing // 2)
    return {"strides": strides, "pads": before + after}


def _global_pooling(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    operation = "ReduceMax" if "Max" in feed.node.kind else "ReduceMean"
    return sheet.add(operation, feed.tensors, axes=list(range(1, len(feed.shapes[0]))), keepdims=0)


def _batch_normalization(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    weights, size = feed.node.weights, shape[-1]
    gamma = weights.get("gamma", np.ones(size, np.float32))
    beta = weights.get("beta", np.zeros(size, np.float32))
    values = [sheet.constant(one) for one in (gamma, beta, weights["moving_mean"], weights["moving_variance"])]
    axes = len(shape) - 1
    inputs = [_first(sheet, feed.tensors[0], axes), *values]
    return _last(sheet, sheet.add("BatchNormalization", inputs, epsilon=feed.settings["epsilon"]), axes)


def _layer_normalization(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    gamma = feed.node.weights.get("gamma", np.ones(shape[-1], np.float32))
    inputs = [feed.tensors[0], sheet.constant(gamma)]
    if "beta" in feed.node.weights:
        inputs.append(sheet.constant(feed.node.weights["beta"]))
    return sheet.add("LayerNormalization", inputs, axis=-1, epsilon=feed.settings["epsilon"])


def _reshape(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    return sheet.add("Reshape", [feed.tensors[0], sheet.constant([-1, *shape], np.int64)])


def _permute(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    return sheet.turned(feed.tensors[0], (0, *feed.settings["dims"]))


def _zero_padding(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    (top, bottom), (left, right) = feed.settings["padding"]
    return sheet.add("Pad", [feed.tensors[0], sheet.constant([0, top, left, 0, 0, bottom, right, 0], np.int64)])


def _rescaling(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    scaled = sheet.add("Mul", [feed.tensors[0], sheet.constant(feed.settings["scale"])])
    return sheet.add("Add", [scaled, sheet.constant(feed.settings["offset"])])


def _relu(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    """max_value above, the identity from the threshold on, a slope below it."""
    x, settings = feed.tensors[0], feed.settings
    threshold, slope = settings["threshold"], settings["negative_slope"]
    if threshold == 0:
        found = sheet.add("LeakyRelu", [x], alpha=slope) if slope else sheet.add("Relu", [x])
    else:
        below = sheet.add("Mul", [sheet.add("Sub", [x, sheet.constant(threshold)]), sheet.constant(slope)])
        reached = sheet.add("GreaterOrEqual", [x, sheet.constant(threshold)])
        found = sheet.add("Where", [reached, x, below])
    return found if settings["max_value"] is None else sheet.add("Min", [found, sheet.constant(settings["max_value"])])


def _merge(operation: str) -> Layer:
    """Operations that take two inputs in ONNX are chained."""

    def merged(sheet: Sheet, feed: Feed, shape: Shape) -> str:
        found = feed.tensors[0]
        for tensor in feed.tensors[1:]:
            found = sheet.add(operation, [found, tensor])
        return found

    return merged


def _concatenate(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    return sheet.add("Concat", feed.tensors, axis=feed.settings["axis"])


def _same(sheet: Sheet, feed: Feed, shape: Shape) -> str:
    return feed.tensors[0]


def activated(sheet: Sheet, x: str, activation: str) -> str:
    """A tensor after an activation."""
    if activation == "linear":
        return x
    if activation in _PLAIN:
        operation, attributes = _PLAIN[activation]
        return sheet.add(operation, [x], **attributes)
    if activation == "relu6":
        return sheet.add("Clip", [x, sheet.constant(0.0), sheet.constant(6.0)])
    if activation == "silu":
        return sheet.add("Mul", [x, sheet.add("Sigmoid", [x])])
    if activation == "mish":
        return sheet.add("Mul", [x, sheet.add("Tanh", [sheet.add("Softplus", [x])])])
    # gelu: x Φ(x)
    erf = sheet.add("Erf", [sheet.add("Mul", [x, sheet.constant(math.sqrt(0.5))])])
    share = sheet.add("Mul", [sheet.add("Add", [erf, sheet.constant(1.0)]), sheet.constant(0.5)])
    return sheet.add("Mul", [x, share])


def _first(sheet: Sheet, tensor: str, axes: int) -> str:
    return sheet.turned(tensor, (0, axes + 1, *range(1, axes + 1))) if axes else tensor


def _last(sheet: Sheet, tensor: str, axes: int) -> str:
    return sheet.turned(tensor, (0, *range(2, axes + 2), 1)) if axes else tensor


_ALONG_CHANNELS = ("softmax", "log_softmax")

_PLAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "relu": ("Relu", {}),
    "leaky_relu": ("LeakyRelu", {"alpha": 0.2}),
    "elu": ("Elu", {}),
    "selu": ("Selu", {"alpha": 1.6732632423543772, "gamma": 1.0507009873554805}),
    "sigmoid": ("Sigmoid", {}),
    "tanh": ("Tanh", {}),
    "softplus": ("Softplus", {}),
    "softsign": ("Softsign", {}),
    "exponential": ("Exp", {}),
    "softmax": ("Softmax", {"axis": -1}),
    "log_softmax": ("LogSoftmax", {"axis": -1}),
}

Layer = Callable[["Sheet", Feed, Shape], str]

LAYERS: dict[str, Layer] = {
    "Dense": _dense,
    "Conv1D": _convolution,
    "Conv2D": _convolution,
    "DepthwiseConv2D": _convolution,
    "MaxPooling1D": _pooling,
    "MaxPooling2D": _pooling,
    "AveragePooling1D": _pooling,
    "AveragePooling2D": _pooling,
    "GlobalMaxPooling1D": _global_pooling,
    "GlobalMaxPooling2D": _global_pooling,
    "GlobalAveragePooling1D": _global_pooling,
    "GlobalAveragePooling2D": _global_pooling,
    "BatchNormalization": _batch_normalization,
    "LayerNormalization": _layer_normalization,
    "Dropout": _same,
    "GaussianNoise": _same,
    "Flatten": _reshape,
    "Reshape": _reshape,
    "Permute": _permute,
    "ZeroPadding2D": _zero_padding,
    "Rescaling": _rescaling,
    "Activation": lambda sheet, feed, shape: activated(sheet, feed.tensors[0], feed.settings["activation"]),
    "ReLU": _relu,
    "LeakyReLU": lambda sheet, feed, shape: sheet.add("LeakyRelu", feed.tensors, alpha=feed.settings["negative_slope"]),
    "ELU": lambda sheet, feed, shape: sheet.add("Elu", feed.tensors, alpha=feed.settings["alpha"]),
    "Softmax": lambda sheet, feed, shape: sheet.add("Softmax", feed.tensors, axis=-1),
    "Add": _merge("Add"),
    "Subtract": _merge("Sub"),
    "Multiply": _merge("Mul"),
    "Maximum": _merge("Max"),
    "Minimum": _merge("Min"),
    "Average": lambda sheet, feed, shape: sheet.add("Mean", feed.tensors),
    "Concatenate": _concatenate,
    "Mean": lambda sheet, feed, shape: sheet.add(
        "ReduceMean", feed.tensors, axes=[len(feed.shapes[0])], keepdims=int(feed.settings["keepdims"])
    ),
}
"""For each kind of layer, what it gives for its feed."""
