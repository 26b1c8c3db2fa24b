"""The layers that can be read and written: the settings that decide what each computes, with their defaults.

What only matters for training (initializers, regularizers, seeds) is left out. A setting that is not listed and not
empty is refused, because leaving it out could change what the network says.
"""

from __future__ import annotations

from typing import Any

from whygrad.interchange.bad_model import BadModel

NEEDED: Any = object()
"""Stands for a setting without a default."""

_CONV = {"strides": 1, "padding": "valid", "data_format": "channels_last", "dilation_rate": 1, "groups": 1}
_OUT = {"activation": "linear", "use_bias": True}
_POOL = {"pool_size": 2, "strides": None, "padding": "valid", "data_format": "channels_last"}
_GLOBAL = {"data_format": "channels_last", "keepdims": False}
_NORM = {"axis": -1, "epsilon": 1e-3, "center": True, "scale": True}

KINDS: dict[str, dict[str, Any]] = {
    "InputLayer": {"shape": NEEDED},
    "Dense": {"units": NEEDED, **_OUT},
    "Conv1D": {"filters": NEEDED, "kernel_size": NEEDED, **_CONV, **_OUT},
    "Conv2D": {"filters": NEEDED, "kernel_size": NEEDED, **_CONV, **_OUT},
    "DepthwiseConv2D": {"kernel_size": NEEDED, "depth_multiplier": 1, **_CONV, **_OUT},
    "MaxPooling1D": _POOL,
    "MaxPooling2D": _POOL,
    "AveragePooling1D": _POOL,
    "AveragePooling2D": _POOL,
    "GlobalMaxPooling1D": _GLOBAL,
    "GlobalMaxPooling2D": _GLOBAL,
    "GlobalAveragePooling1D": _GLOBAL,
    "GlobalAveragePooling2D": _GLOBAL,
    "BatchNormalization": {**_NORM, "momentum": 0.99, "renorm": False},
    "LayerNormalization": {**_NORM, "rms_scaling": False},
    "Dropout": {"rate": NEEDED},
    "GaussianNoise": {"stddev": NEEDED},
    "Flatten": {"data_format": "channels_last"},
    "Reshape": {"target_shape": NEEDED},
    "Permute": {"dims": NEEDED},
    "ZeroPadding2D": {"padding": 1, "data_format": "channels_last"},
    "Rescaling": {"scale": NEEDED, "offset": 0.0},
    "Activation": {"activation": NEEDED},
    "ReLU": {"max_value": None, "negative_slope": 0.0, "threshold": 0.0},
    "LeakyReLU": {"negative_slope": 0.3},
    "ELU": {"alpha": 1.0},
    "Softmax": {"axis": -1},
    "Add": {},
    "Subtract": {},
    "Multiply": {},
    "Average": {},
    "Maximum": {},
    "Minimum": {},
    "Concatenate": {"axis": -1},
    "Mean": {"axis": -1, "keepdims": False},
}
"""`Subtract` and `Mean` are operations of Keras 3, not layers of TF.js; `tfjs_rewrites.py` says them in its words."""

MERGES = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")
"""Layers that take several inputs."""

ACTIVATIONS = (
    "linear", "relu", "relu6", "leaky_relu", "elu", "selu", "sigmoid", "tanh", "softmax", "log_softmax", "softplus",
    "softsign", "silu", "gelu", "mish", "exponential",
)  # fmt: skip

FIXED = {"data_format": "channels_last", "groups": 1, "keepdims": False, "renorm": False, "rms_scaling": False}
"""Settings that may be there and must be this."""

_ONE_AXIS = ("Conv1D", "MaxPooling1D", "AveragePooling1D")
_SIZES = ("kernel_size", "strides", "dilation_rate", "pool_size")
_NUMBERS = ("epsilon", "momentum", "rate", "stddev", "alpha", "negative_slope", "max_value", "threshold", "offset")
_FOR_TRAINING = ("_initializer", "_regularizer", "_constraint")
_NO_MATTER = (
    "name", "trainable", "dtype", "sparse", "ragged", "optional", "seed", "noise_shape", "fused", "input_dtype",
    "batch_input_shape", "batch_shape", "input_shape", "synchronized", "renorm_momentum",
)  # fmt: skip
_OTHER_NAMES = {"LeakyReLU": {"alpha": "negative_slope"}}
_OTHER_ACTIVATIONS = {"swish": "silu", "log_soft_max": "log_softmax", "logsoftmax": "log_softmax"}


def settings_of(kind: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """All settings of a layer that matter, in one form; `BadModel` for what is missing, unknown or unsupported."""
    if kind not in KINDS:
        raise BadModel(f"the layer {name!r} is a {kind!r}, which is not supported. Supported: {', '.join(KINDS)}.")
    given = {_OTHER_NAMES.get(kind, {}).get(key, key): value for key, value in given.items()}
    settings: dict[str, Any] = {}
    for key, default in KINDS[kind].items():
        value = given.pop(key, default)
        if value is NEEDED or (value is None and default is not None):
            raise BadModel(f"the layer {name!r} ({kind}) does not say its {key!r}.")
        settings[key] = _in_one_form(kind, name, key, value)
    for key, value in given.items():
        if value not in (None, False, "", [], {}) and key not in _NO_MATTER and not key.endswith(_FOR_TRAINING):
            raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}, a setting that is not supported.")
    return settings


def _in_one_form(kind: str, name: str, key: str, value: Any) -> Any:
    if key in FIXED and kind != "Mean" and value != FIXED[key]:
        hint = " Make the network with channels last." if key == "data_format" else ""
        raise BadModel(
            f"the layer {name!r} ({kind}) has {key}={value!r}; only {key}={FIXED[key]!r} is supported.{hint}"
        )
    if key == "activation":
        return activation_of(name, value)
    if key in _SIZES and value is not None:
        axes = 1 if kind in _ONE_AXIS else 2
        sizes = [value] * axes if isinstance(value, int) else value
        if not isinstance(sizes, (list, tuple)) or len(sizes) != axes or not all(_whole(n) and n > 0 for n in sizes):
            raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; {axes} whole numbers above 0 are needed.")
        return list(sizes)
    if isinstance(KINDS[kind][key], bool) and not isinstance(value, bool):
        raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; true or false is needed.")
    if key in ("units", "filters", "depth_multiplier") and not (_whole(value) and value > 0):
        raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; a whole number above 0 is needed.")
    if key == "padding" and kind == "ZeroPadding2D":
        return _margins(name, value)
    if key == "padding" and value not in (("valid", "same", "causal") if kind == "Conv1D" else ("valid", "same")):
        raise BadModel(f"the layer {name!r} ({kind}) has padding={value!r}; 'valid' and 'same' are supported.")
    if key == "axis" and isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if key == "axis" and not _whole(value):
        raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; one axis, a whole number, is needed.")
    if key in ("target_shape", "dims", "shape") and not (isinstance(value, (list, tuple)) and all(map(_whole, value))):
        raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; whole numbers are needed.")
    number = key in _NUMBERS or (kind == "Rescaling" and key == "scale")
    if number and not (value is None or _number(value)):
        raise BadModel(f"the layer {name!r} ({kind}) has {key}={value!r}; a number is needed.")
    return list(value) if isinstance(value, tuple) else value


def activation_of(name: str, value: Any) -> str:
    """The name of an activation in Keras 3; `BadModel` for one that is not the same everywhere."""
    found = _OTHER_ACTIVATIONS.get(value, value) if isinstance(value, str) else value
    if found in ("hard_sigmoid", "gelu_new"):
        raise BadModel(
            f"the layer {name!r} has the activation {value!r}, which Keras 3 and TF.js compute differently. "
            "Use another."
        )
    if found not in ACTIVATIONS:
        raise BadModel(
            f"the layer {name!r} has the activation {value!r}, which is not supported. Supported: "
            f"{', '.join(ACTIVATIONS)}."
        )
    return str(found)


def _margins(name: str, value: Any) -> list[list[int]]:
    """Rows above and below, columns left and right."""
    rows = [value, value] if _whole(value) else value
    if isinstance(rows, (list, tuple)) and len(rows) == 2:
        pairs = [[n, n] if _whole(n) else list(n) if isinstance(n, (list, tuple)) else [] for n in rows]
        if all(len(pair) == 2 and all(_whole(n) and n >= 0 for n in pair) for pair in pairs):
            return pairs
    raise BadModel(f"the layer {name!r} (ZeroPadding2D) has padding={value!r}; write ((top, bottom), (left, right)).")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
