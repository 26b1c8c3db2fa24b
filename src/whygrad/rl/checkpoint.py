"""Checkpoints: named arrays and a few facts in one `.npz`, without pickle, checked when they are read.

The file is a plain NumPy archive. Its member `facts` is JSON text as bytes: the format's version, the name, type and
shape of every array, and what the caller wanted to remember. ZIP keeps a CRC-32 of every member; `read` checks all.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.whole_file import whole_file

FORMAT = "whygrad checkpoint"
VERSION = 1
_FACTS = "facts"
_PLAIN = "biufcSUmM"  # kinds of dtype that NumPy's format keeps without pickle and without losing their type
_PIECE = 1 << 20

Arrays = dict[str, np.ndarray]


class BadCheckpoint(ValueError):
    """A file that is not a checkpoint, or not a whole one."""


def write(path: str | os.PathLike[str], arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write a checkpoint, whole or not at all. Facts are JSON: tuples come back as lists."""
    held = {name: _plain_array(name, array) for name, array in arrays.items()}
    _check_facts(facts, "facts")
    about = {
        "format": FORMAT,
        "version": VERSION,
        "arrays": {name: {"dtype": array.dtype.str, "shape": array.shape} for name, array in held.items()},
        "facts": facts,
    }
    text = np.frombuffer(json.dumps(about, default=_number).encode(), np.uint8)
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {_FACTS: text, **held}.items():
            # A ZipInfo made by name alone has a fixed date: the same content gives the same bytes.
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=array.nbytes > 1 << 30) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read(path: str | os.PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and facts of a checkpoint, or `BadCheckpoint` saying what is wrong with the file."""
    name = os.fspath(path)
    if not os.path.isfile(name):
        raise BadCheckpoint(f"There is no checkpoint at {name!r}.")
    try:
        with zipfile.ZipFile(name) as archive:
            about = _about(name, archive)
            arrays = {key: _array(archive, key, form["dtype"], form["shape"]) for key, form in about["arrays"].items()}
    except BadCheckpoint:
        raise
    except Exception as error:  # a damaged ZIP or header can raise nearly anything
        raise BadCheckpoint(_damaged(name, error)) from error
    return arrays, about["facts"]


def _about(name: str, archive: zipfile.ZipFile) -> dict[str, Any]:
    if f"{_FACTS}.npy" not in archive.namelist():
        raise BadCheckpoint(
            f"{name!r} is not a checkpoint of whygrad: it is an archive without a member {_FACTS!r}. "
            "Checkpoints are the files in the folder 'checkpoints' of a run."
        )
    body = _member(archive, _FACTS)
    start = io.BytesIO(body)
    np.lib.format.read_magic(start)
    np.lib.format.read_array_header_1_0(start)
    about: dict[str, Any] = json.loads(body[start.tell() :])
    if about.get("format") != FORMAT:
        raise BadCheckpoint(f"{name!r} is not a checkpoint of whygrad: its facts say {about.get('format')!r}.")
    if about["version"] > VERSION:
        raise BadCheckpoint(
            f"{name!r} was written by a newer whygrad: it has format version {about['version']}, and this one reads "
            f"up to {VERSION}. Update whygrad to read it."
        )
    return about


def _array(archive: zipfile.ZipFile, key: str, dtype: str, shape: list[int]) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind not in _PLAIN:  # bytes of a file taken for Python objects would crash the process
        raise ValueError(f"array {key!r} has dtype {dtype}")
    size = math.prod(shape) * kind.itemsize
    body = _member(archive, key)
    if len(body) < size:
        raise ValueError(f"array {key!r} has {len(body)} bytes instead of {size}")
    # A view of the bytes, not a copy of them: replay memories are large.
    return np.ndarray(tuple(shape), kind, buffer=body, offset=len(body) - size)


def _member(archive: zipfile.ZipFile, key: str) -> bytearray:
    info = archive.getinfo(f"{key}.npy")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"array {key!r} is compressed")
    body = bytearray()
    with archive.open(info) as member:
        while piece := member.read(_PIECE):  # at its end ZipFile compares the check sum
            body += piece
    if len(body) != info.file_size:
        raise ValueError(f"array {key!r} ends early")
    return body


def _damaged(name: str, error: Exception) -> str:
    with open(name, "rb") as file:
        start = file.read(4)
    if not start:
        return f"{name!r} is not a checkpoint: it is empty."
    if start != b"PK\x03\x04":
        return f"{name!r} is not a checkpoint: it is not a NumPy archive (.npz)."
    reason = f"{type(error).__name__}: {error}".rstrip(".: ")
    return f"{name!r} is damaged or was cut off ({reason}). Use another checkpoint of the run."


def _plain_array(name: str, array: Any) -> np.ndarray:
    held: np.ndarray = np.asarray(array, order="C")
    if held.dtype.kind not in _PLAIN or held.dtype.hasobject:
        raise TypeError(
            f"array {name!r} has dtype {held.dtype}, which a checkpoint cannot hold without pickle. "
            "Convert it to numbers, booleans or strings of fixed length first, bfloat16 to float32."
        )
    if name == _FACTS:
        raise ValueError(f"{_FACTS!r} is the name of a checkpoint's own facts; give the array another name.")
    return held


def _check_facts(value: Any, where: str) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}; JSON keeps only text as keys. Write {str(key)!r}.")
            _check_facts(inner, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            _check_facts(inner, f"{where}[{i}]")
    elif not isinstance(value, str | int | float | bool | np.generic | None):
        raise TypeError(f"{where} is of type {type(value).__name__}, which is not JSON. Arrays go into `arrays`.")


def _number(value: Any) -> Any:
    return value.item()  # only NumPy's scalars come here
