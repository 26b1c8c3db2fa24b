"""How transitions lie in NPZ and HDF5 files: reading and writing the arrays, without a look at what is in them."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from whygrad.whole_file import whole_file

_OTHER_NAMES = {"terminals": "terminations", "timeouts": "truncations"}
"""D4RL's names, and those of Gymnasium and Minari for the same."""
_FACTS = "facts"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_MINARI = ("data/main_data.hdf5", "main_data.hdf5")


class BadDataset(ValueError):
    """A file that is not a dataset, or not a consistent one."""


@dataclass(frozen=True, eq=False)
class Raw:
    """Arrays under D4RL's names, none missing, and the facts; nothing checked yet."""

    arrays: dict[str, np.ndarray]
    facts: dict[str, Any]


def read_raw(name: str) -> Raw:
    """Whatever layout a file has, found by its content and not by its name."""
    path = _file_of(Path(name))
    with path.open("rb") as file:
        start = file.read(8)
    try:
        if start[:4] == b"PK\x03\x04":
            return _read_npz(path)
        if start == _HDF5:
            return _read_hdf5(path)
    except BadDataset:
        raise
    except Exception as error:  # a damaged file can raise nearly anything
        reason = f"{type(error).__name__}: {error}".rstrip(".: ")
        raise BadDataset(f"the file is damaged or was cut off ({reason}).") from error
    raise BadDataset("it is neither NPZ nor HDF5." if start else "the file is empty.")


def write_raw(name: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """In the flat layout; the name's ending says in which kind of file."""
    suffix = Path(name).suffix.lower()
    text = json.dumps(facts, allow_nan=False)
    if suffix == ".npz":
        with whole_file(name) as file:
            np.savez(file, **arrays, **{_FACTS: np.frombuffer(text.encode(), np.uint8)})
    elif suffix in (".hdf5", ".h5"):
        import h5py

        with whole_file(name) as file, h5py.File(file.name, "w") as archive:
            for key, array in arrays.items():
                archive.create_dataset(key, data=array, fletcher32=True)  # a check sum: HDF5 has none by itself
            archive.attrs[_FACTS] = text
    else:
        stem = os.path.splitext(name)[0]
        raise ValueError(f"a dataset is written as .npz or .hdf5, and {name!r} is neither. Write {stem + '.npz'!r}.")


def flags(name: str, array: np.ndarray, rows: int) -> np.ndarray:
    """Booleans, however they were written; a copy."""
    expect_rows(name, array, rows)
    if array.shape != (rows,):
        raise BadDataset(f"{name} has shape {array.shape}; expected {(rows,)}.")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise BadDataset(f"{name} has dtype {array.dtype} and values other than 0 and 1; expected booleans.")
    return array.astype(bool)


def expect_rows(name: str, array: np.ndarray, rows: int) -> None:
    """Raise `BadDataset` when an array is longer or shorter than the observations."""
    if array.ndim == 0 or len(array) != rows:
        raise BadDataset(f"{name} has shape {array.shape}; expected {rows} rows, as many as observations has.")


def _file_of(path: Path) -> Path:
    if path.is_dir():
        found = [path / inner for inner in _MINARI if (path / inner).is_file()]
        if not found:
            raise BadDataset("it is a folder without 'main_data.hdf5', so not a dataset of Minari either.")
        return found[0]
    if not path.is_file():
        raise BadDataset("there is no such file.")
    return path


def _read_npz(path: Path) -> Raw:
    with zipfile.ZipFile(path) as archive:
        broken = archive.testzip()  # NumPy would notice only some damage
    if broken is not None:
        raise BadDataset(f"{broken.removesuffix('.npy')} is damaged: its check sum is wrong.")
    with np.load(path, allow_pickle=False) as archive:

        def get(key: str) -> np.ndarray:
            try:
                array: np.ndarray = archive[key]
            except ValueError as error:
                if "allow_pickle" not in str(error):
                    raise
                raise BadDataset(
                    f"{key} holds Python objects, which are not read: they could run any program."
                ) from error
            return array

        facts = json.loads(get(_FACTS).tobytes()) if _FACTS in archive.files else {}
        return Raw(_flat(archive.files, get), _known(facts))


def _read_hdf5(path: Path) -> Raw:
    import h5py

    with h5py.File(path, "r") as archive:
        own = _FACTS in archive.attrs
        facts = _known(json.loads(archive.attrs[_FACTS]) if own else _minari_facts(path, archive.attrs))
        episodes = sorted((key for key in archive if key.startswith("episode_")), key=lambda key: int(key[8:]))
        arrays = _episodes(archive, episodes) if episodes else _flat(list(archive), lambda key: _whole(archive, key))
    start = facts.pop("start", 0)
    if start and arrays["actions"].dtype.kind in "iu":
        arrays["actions"] = arrays["actions"] - start
    return Raw(arrays, facts)


def _whole(group: Any, key: str) -> np.ndarray:
    member = group[key]
    if not hasattr(member, "shape"):
        where = f"{group.name.strip('/')}/{key}".strip("/")
        raise BadDataset(f"{where} is a group of arrays, from a Dict or Tuple space; only plain arrays are read.")
    array: np.ndarray = member[()]
    return array


def _flat(names: Iterable[str], get: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    names = list(names)
    wanted = ("observations", "actions", "rewards", "terminals")
    arrays = {key: get(_found(key, names)) for key in wanted}
    if "next_observations" not in names:
        timeouts = get(_found("timeouts", names, " It may be missing only where there are next_observations."))
        return _with_next_rows({**arrays, "timeouts": timeouts})
    other = _OTHER_NAMES["timeouts"]
    has = "timeouts" if "timeouts" in names else other if other in names else None
    timeouts = get(has) if has else np.zeros(len(arrays["rewards"]), bool)
    return {**arrays, "timeouts": timeouts, "next_observations": get("next_observations")}


def _found(key: str, names: list[str], hint: str = "") -> str:
    other = _OTHER_NAMES.get(key, key)
    if key in names or other in names:
        return key if key in names else other
    held = ", ".join(name for name in names if name != _FACTS) or "nothing"
    raise BadDataset(f"it has no {key}; it has {held}.{hint}")


def _with_next_rows(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What follows a row is the next row, except where an episode ended; rows that nothing is known to follow go."""
    rows = len(np.atleast_1d(arrays["observations"]))
    for key, array in arrays.items():
        expect_rows(key, array, rows)
    ended, cut = (flags(key, arrays[key], rows) for key in ("terminals", "timeouts"))
    cut[-1:] = True
    kept = ended | ~cut
    # Without the row at a time limit, the one before it is the last of its episode.
    cut[:-1] |= ~kept[1:] & ~ended[:-1]
    following = np.concatenate([arrays["observations"][1:], arrays["observations"][-1:]])
    whole = {**arrays, "timeouts": cut & ~ended, "next_observations": following}
    return {key: array[kept] for key, array in whole.items()}


def _episodes(archive: Any, names: list[str]) -> dict[str, np.ndarray]:
    parts: dict[str, list[np.ndarray]] = {}
    for name in names:
        group = archive[name]
        for key in ("observations", "actions", "rewards", "terminations", "truncations"):
            if key not in group:
                raise BadDataset(f"{name} has no {key}; it has {', '.join(group)}.")
        seen = _whole(group, "observations")
        steps = len(seen) - 1
        episode = {key: _whole(group, key) for key in ("actions", "rewards", "terminations", "truncations")}
        for key, array in episode.items():
            if array.ndim == 0 or len(array) != steps:
                raise BadDataset(
                    f"{name}/{key} has shape {array.shape}; expected {steps} rows, one less than the {len(seen)} of "
                    "observations, which has the last one too."
                )
        ended, cut = (flags(f"{name}/{key}", episode.pop(key), steps) for key in ("terminations", "truncations"))
        cut[-1:] |= ~ended[-1:]  # an episode whose rest was not recorded is cut there
        whole = {
            **episode,
            "terminals": ended,
            "timeouts": cut,
            "observations": seen[:-1],
            "next_observations": seen[1:],
        }
        for key, array in whole.items():
            parts.setdefault(key, []).append(array)
    for key, arrays in parts.items():
        for name, array in zip(names, arrays, strict=True):
            if array.shape[1:] != arrays[0].shape[1:]:
                raise BadDataset(
                    f"{name}/{key} has rows of shape {array.shape[1:]}, and {names[0]} {arrays[0].shape[1:]}."
                )
    return {key: np.concatenate(arrays) for key, arrays in parts.items()}


def _known(facts: Any) -> dict[str, Any]:
    if not isinstance(facts, dict):
        raise BadDataset(f"its facts are {type(facts).__name__}; expected a JSON object.")
    return facts


def _minari_facts(path: Path, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The environment and the spaces, from the file's attributes or, in newer versions, the file beside it."""
    beside = path.with_name("metadata.json")
    said = {**dict(attributes), **(json.loads(beside.read_bytes()) if beside.is_file() else {})}
    facts: dict[str, Any] = {}
    if "env_spec" in said:
        facts["env"] = json.loads(said["env_spec"]).get("id")
    if "observation_space" not in said or "action_space" not in said:
        return facts
    observation, action = json.loads(said["observation_space"]), json.loads(said["action_space"])
    if observation.get("type") != "Box":
        return facts
    if action.get("type") == "Discrete":
        facts["spaces"] = {"observation": observation["shape"], "choices": action["n"]}
        facts["start"] = action.get("start", 0)
    elif action.get("type") == "Box" and len(action["shape"]) == 1:
        facts["spaces"] = {"observation": observation["shape"], "low": action["low"], "high": action["high"]}
    return facts
