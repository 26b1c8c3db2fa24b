"""The weights of a TF.js model: a manifest that says their names, shapes and types, and files with the bytes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.number_forms import made_smaller, restored, stored_as

SHARD = 4 * 1024 * 1024
"""Bytes of one file, as TF.js' converter makes them: browsers cache files of that size."""


def read_weights(manifest: Any, folder: Path) -> dict[str, np.ndarray]:
    """All weights by name. Nothing outside the folder is opened, and nothing is read that the manifest cannot fill."""
    if not isinstance(manifest, list):
        raise BadModel(f"the weightsManifest should be a list, and is a {type(manifest).__name__}.")
    found: dict[str, np.ndarray] = {}
    for group in manifest:
        if not (isinstance(group, dict) and isinstance(group.get("paths"), list)):
            raise BadModel("the weightsManifest has a group without a list of paths.")
        specs = group.get("weights")
        if not isinstance(specs, list):
            raise BadModel("the weightsManifest has a group without a list of weights.")
        _read_group([_inside(path, folder) for path in group["paths"]], specs, found)
    return found


def _read_group(files: list[Path], specs: list[Any], found: dict[str, np.ndarray]) -> None:
    parts = [_part(spec) for spec in specs]
    wanted = sum(size for *_, size in parts)
    there = sum(file.stat().st_size for file in files)
    if there != wanted:
        names = ", ".join(repr(file.name) for file in files)
        why = "cut off" if there < wanted else "longer than they should be"
        raise BadModel(
            f"the weights in {names} are {why}: {there:,} bytes, {wanted:,} expected. Copy or save them again."
        )
    data = b"".join(file.read_bytes() for file in files)
    if len(data) != wanted:
        raise BadModel("the weights changed while they were read. Read them again.")
    place = 0
    for name, shape, form, quantization, in_optimizer, size in parts:
        numbers = np.frombuffer(data, form, math.prod(shape), place).reshape(shape)
        place += size
        if in_optimizer:
            continue
        if name in found:
            raise BadModel(f"the weightsManifest has the weight {name!r} twice.")
        found[name] = restored(numbers, quantization)


def _part(spec: Any) -> tuple[str, tuple[int, ...], np.dtype[Any], Any, bool, int]:
    """Name, shape, type in the file, quantization, whether it is the optimizer's, and size in bytes."""
    if not isinstance(spec, dict) or not isinstance(spec.get("name"), str):
        raise BadModel(f"the weightsManifest has a weight without a name: {spec!r}.")
    name, shape, quantization = spec["name"], spec.get("shape"), spec.get("quantization")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise BadModel(f"the weight {name!r} has the shape {shape!r}; a list of whole numbers is needed.")
    form = stored_as(name, spec.get("dtype"), quantization)
    size = math.prod(shape) * form.itemsize
    return name, tuple(shape), form, quantization, spec.get("group") == "optimizer", size


def _inside(path: Any, folder: Path) -> Path:
    """A file that a manifest names. A model from somebody else must not make us read anything outside its folder."""
    if not isinstance(path, str) or not path:
        raise BadModel(f"the weightsManifest names the file {path!r}; the name of a file beside model.json is needed.")
    parts = (*PurePosixPath(path).parts, *PureWindowsPath(path).parts)
    absolute = PurePosixPath(path).is_absolute() or bool(PureWindowsPath(path).anchor) or "\0" in path
    inside = folder.resolve()
    full = inside / path if not absolute else inside
    try:
        real = full.resolve()
    except (OSError, RuntimeError) as error:  # links that lead round in a circle
        raise BadModel(f"the weights file {path!r} cannot be found: {error}.") from error
    if absolute or ".." in parts or not real.is_relative_to(inside):
        raise BadModel(
            f"the weightsManifest names the file {path!r}, which lies outside the model's folder. Weights lie beside "
            "model.json: put them there and write their plain names."
        )
    if not real.is_file():
        raise BadModel(f"the weights file {path!r} is not there. It belongs beside model.json.")
    if not os.access(real, os.R_OK):
        raise BadModel(f"the weights file {path!r} may not be read.")
    return real


def written(weights: Mapping[str, np.ndarray], form: str | None) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """The manifest for some weights, and the files it names."""
    specs: list[dict[str, Any]] = []
    parts: list[bytes] = []
    for name, array in weights.items():
        numbers, quantization = made_smaller(array, form)
        spec: dict[str, Any] = {"name": name, "shape": list(array.shape), "dtype": "float32"}
        specs.append(spec | ({"quantization": quantization} if quantization else {}))
        parts.append(numbers.tobytes())
    shards = _cut(b"".join(parts))
    files = {f"group1-shard{n}of{len(shards)}.bin": shard for n, shard in enumerate(shards, 1)}
    return [{"paths": list(files), "weights": specs}], files


def _cut(data: bytes) -> list[bytes]:
    return [data[start : start + SHARD] for start in range(0, max(1, len(data)), SHARD)]


def by_layer(weights: Mapping[str, np.ndarray], layers: Iterable[str]) -> dict[str, dict[str, np.ndarray]]:
    """Weights sorted by the layer they belong to: `dense_1/kernel`, or with the model's name and more before it."""
    found: dict[str, dict[str, np.ndarray]] = {name: {} for name in layers}
    for name, array in weights.items():
        *path, role = name.removesuffix(":0").split("/")
        if role.isdecimal():  # …/vars/0: under names that Keras made up while saving, not those of the layers
            raise BadModel(
                f"the weight {name!r} has a number for a name, as tensorflowjs_converter makes them of a .keras file. "
                "Import that .keras file itself."
            )
        spans = ("/".join(path[start:end]) for end in range(len(path), 0, -1) for start in range(end))
        layer = next((span for span in spans if span in found), None)
        if layer is None:
            raise BadModel(f"the weight {name!r} belongs to no layer of the model; its layers are {', '.join(found)}.")
        if role in found[layer]:
            raise BadModel(f"the layer {layer!r} has two weights {role!r}.")
        found[layer][role] = array
    return found
