"""Transitions in a file, for learning without an environment. The layouts are described in docs/datasets.md.

Everything a file holds is checked when it is read: a dataset that is wrong trains something, only not what was meant.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from whygrad.rl import pixels
from whygrad.rl.agent import Spaces
from whygrad.rl.dataset_layouts import BadDataset, Raw, expect_rows, flags, read_raw, write_raw

__all__ = ["BadDataset", "Dataset", "check_fits", "read_dataset", "write_dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Transitions, one in each row, those of an episode one after the other.

    Actions are choices [n] (int64), or numbers [n, size] (float32) as the environment takes them, not scaled.
    """

    observation: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    next_observation: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    facts: dict[str, Any]
    """What is known besides: `env` (an id), `spaces` (the fields of `Spaces`), and what the writer added."""

    def __len__(self) -> int:
        return len(self.reward)

    def scaled_action(self, spaces: Spaces) -> np.ndarray:
        """Actions as policies give them: choices as they are, numbers brought from their bounds to [-1, 1]."""
        if spaces.discrete:
            return self.action
        low, high = np.array(spaces.low, np.float32), np.array(spaces.high, np.float32)
        return np.clip((2 * self.action - low - high) / (high - low), -1, 1)

    @property
    def env(self) -> str | None:
        """The id of the environment it comes from, when the file says so."""
        return self.facts.get("env")

    @property
    def spaces(self) -> Spaces:
        """The spaces as the file says; otherwise as the arrays show them, when they can show them."""
        said = self.facts.get("spaces")
        if said is not None:
            return _spaces(said)
        observation = self.observation.shape[1:]
        if self.action.ndim == 1:
            return Spaces(observation, choices=int(self.action.max()) + 1)
        if np.abs(self.action).max() > 1:
            raise BadDataset(
                f"the dataset does not say the bounds of its actions, which reach from {self.action.min():g} to "
                f"{self.action.max():g}. Name the environment that it comes from."
            )
        size = self.action.shape[1]
        return Spaces(observation, low=(-1.0,) * size, high=(1.0,) * size)


def read_dataset(path: str | os.PathLike[str]) -> Dataset:
    """A dataset from NPZ or HDF5, or `BadDataset` with a sentence that names the array and what is wrong with it."""
    name = os.fspath(path)
    try:
        return _checked(read_raw(name))
    except BadDataset as error:
        raise BadDataset(f"{name!r}: {error}") from error.__cause__


def write_dataset(path: str | os.PathLike[str], dataset: Dataset) -> None:
    """Write a dataset, whole or not at all: `.npz`, `.hdf5` or `.h5`."""
    arrays = {
        "observations": dataset.observation,
        "actions": dataset.action,
        "rewards": dataset.reward,
        "next_observations": dataset.next_observation,
        "terminals": dataset.terminated,
        "timeouts": dataset.truncated,
    }
    facts = dict(dataset.facts)
    if isinstance(facts.get("spaces"), Spaces):
        facts["spaces"] = asdict(facts["spaces"])
    checked = _checked(Raw({key: np.asarray(array) for key, array in arrays.items()}, facts))
    write_raw(os.fspath(path), {**arrays, "actions": checked.action}, facts)


def check_fits(dataset: Dataset, spaces: Spaces, said: str = "the environment says") -> None:
    """Raise `BadDataset` when observations or actions cannot come from these spaces."""
    shape, action = dataset.observation.shape[1:], dataset.action
    if shape != spaces.observation:
        raise BadDataset(f"observations has rows of shape {shape}; {said} {spaces.observation}.")
    if spaces.choices is not None:
        if action.ndim != 1:
            raise BadDataset(f"actions has shape {action.shape}; {said} one of {spaces.choices} choices.")
        if action.max() >= spaces.choices:
            at, last = action.argmax(), spaces.choices - 1
            raise BadDataset(f"actions has {action.max()} in row {at}; {said} {spaces.choices} choices, 0 to {last}.")
        return
    if action.shape[1:] != (len(spaces.low),):
        raise BadDataset(f"actions has shape {action.shape}; {said} rows of {len(spaces.low)} numbers.")
    slack = 1e-4 * (1 + np.abs([spaces.low, spaces.high]))  # bounds in float32 and float64 differ by a rounding
    outside = np.argwhere((action < np.array(spaces.low) - slack[0]) | (action > np.array(spaces.high) + slack[1]))
    if len(outside):
        row, place = (int(n) for n in outside[0])
        bounds = f"{spaces.low[place]:g} to {spaces.high[place]:g}"
        raise BadDataset(f"actions has {action[row, place]:g} in row {row}, place {place}; {said} {bounds}.")


def _checked(raw: Raw) -> Dataset:
    arrays, facts = raw.arrays, raw.facts
    observation = _observations("observations", arrays["observations"])
    rows = len(observation)
    if not rows:
        raise BadDataset("it has no transitions.")
    following = _observations("next_observations", arrays["next_observations"])
    _expect("next_observations", following, observation.shape)
    _expect("rewards", arrays["rewards"], (rows,))
    dataset = Dataset(
        observation,
        _actions(arrays["actions"], rows),
        _numbers("rewards", arrays["rewards"]).astype(np.float32, copy=False),
        following,
        flags("terminals", arrays["terminals"], rows),
        flags("timeouts", arrays["timeouts"], rows),
        facts,
    )
    if facts.get("spaces") is not None:
        check_fits(dataset, dataset.spaces, "its spaces say")
    return dataset


def _observations(name: str, array: np.ndarray) -> np.ndarray:
    if array.ndim < 2:
        raise BadDataset(f"{name} has shape {array.shape}; expected one row of numbers for each transition, (n, size).")
    # uint8 are images, and are scaled as they are when they come from an environment.
    return pixels.seen(array) if array.dtype == np.uint8 else _numbers(name, array).astype(np.float32, copy=False)


def _actions(array: np.ndarray, rows: int) -> np.ndarray:
    expect_rows("actions", array, rows)
    whole = array.dtype.kind in "iu"
    if whole and (array.ndim == 1 or array.shape[1:] == (1,)):
        choices = array.reshape(rows).astype(np.int64)
        if choices.min() < 0:
            raise BadDataset(f"actions has {choices.min()} in row {choices.argmin()}; choices are counted from 0.")
        return choices
    if array.dtype.kind == "f" and array.ndim == 2:
        return _numbers("actions", array).astype(np.float32, copy=False)
    raise BadDataset(
        f"actions has dtype {array.dtype} and shape {array.shape}; expected whole numbers ({rows},), one choice in "
        f"each row, or floating-point numbers ({rows}, size)."
    )


def _numbers(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "iuf":
        raise BadDataset(f"{name} has dtype {array.dtype}; expected numbers, such as float32.")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=tuple(range(1, array.ndim))))
    if bad.size:
        raise BadDataset(
            f"{name} has numbers that are not finite in {bad.size} of {len(array)} rows, first in row {bad[0]}."
        )
    return array


def _expect(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    expect_rows(name, array, shape[0])
    if array.shape != shape:
        raise BadDataset(f"{name} has shape {array.shape}; expected {shape}.")


def _spaces(said: Any) -> Spaces:
    try:
        return (
            said
            if isinstance(said, Spaces)
            else Spaces(
                tuple(int(n) for n in said["observation"]),
                None if said.get("choices") is None else int(said["choices"]),
                tuple(float(n) for n in said.get("low", ())),
                tuple(float(n) for n in said.get("high", ())),
                bool(said.get("pixels", False)),
            )
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise BadDataset(
            f"its spaces are {said!r}; expected 'observation' and 'choices', or 'low' and 'high'."
        ) from error
