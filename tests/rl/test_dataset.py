"""Datasets in every layout, and the sentence for every way to be wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import h5py
import numpy as np
import pytest
from gymnasium.spaces import Box

from whygrad.rl.agent import Spaces
from whygrad.rl.dataset import BadDataset, Dataset, check_fits, read_dataset, write_dataset
from whygrad.rl.spaces import encode

SPACES = Spaces((2,), choices=3)
FACTS = {"env": "Walk-v0", "spaces": {"observation": [2], "choices": 3}}


def row_of(n):
    return [n, -n]


def made(**changes):
    """Two episodes: three steps to an end, then two steps to a time limit."""
    seen, following = [0, 1, 2, 10, 11], [1, 2, 3, 11, 12]
    dataset = Dataset(
        observation=np.array([row_of(n) for n in seen], np.float32),
        action=np.array([0, 2, 1, 0, 1]),
        reward=np.array([0.5, 1, 2, 3, 4], np.float32),
        next_observation=np.array([row_of(n) for n in following], np.float32),
        terminated=np.array([False, False, True, False, False]),
        truncated=np.array([False, False, False, False, True]),
        facts=FACTS,
    )
    return replace(dataset, **changes)


CONTINUOUS = {
    "action": np.array([[-2.0], [0.0], [1.0], [2.0], [0.5]], np.float32),
    "facts": {"env": "Swing-v0", "spaces": {"observation": [2], "low": [-2.0], "high": [2.0]}},
}


def assert_equal(one, other):
    for name in ("observation", "action", "reward", "next_observation", "terminated", "truncated"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype, name
        assert np.array_equal(a, b), name


def flat(dataset=None):
    dataset = dataset or made()
    return {
        "observations": dataset.observation,
        "actions": dataset.action,
        "rewards": dataset.reward,
        "next_observations": dataset.next_observation,
        "terminals": dataset.terminated,
        "timeouts": dataset.truncated,
    }


def write_hdf5(path, arrays, **attributes):
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
        file.attrs.update(attributes)


def minari(**changes):
    """The same two episodes as Minari writes them: one observation more than steps."""
    arrays = {
        "episode_0/observations": np.array([row_of(n) for n in (0, 1, 2, 3)], np.float64),
        "episode_0/actions": np.array([0, 2, 1]),
        "episode_0/rewards": np.array([0.5, 1, 2]),
        "episode_0/terminations": np.array([False, False, True]),
        "episode_0/truncations": np.array([False, False, False]),
        "episode_1/observations": np.array([row_of(n) for n in (10, 11, 12)], np.float64),
        "episode_1/actions": np.array([0, 1]),
        "episode_1/rewards": np.array([3.0, 4.0]),
        "episode_1/terminations": np.array([False, False]),
        "episode_1/truncations": np.array([False, True]),
    }
    return {name: array for name, array in {**arrays, **changes}.items() if array is not None}


MINARI_SPACES = {
    "env_spec": json.dumps({"id": "Walk-v0"}),
    "observation_space": json.dumps({"type": "Box", "shape": [2], "low": [-9, -9], "high": [9, 9], "dtype": "float64"}),
    "action_space": json.dumps({"type": "Discrete", "n": 3, "start": 0, "dtype": "int64"}),
}


# ---------------------------------------------------------------------------------------------------------------------
# What is written is read


@pytest.mark.parametrize("name", ["data.npz", "data.hdf5", "data.h5", "DATA.NPZ"])
@pytest.mark.parametrize("changes", [{}, CONTINUOUS, {"facts": {}}])
def test_round_trip(tmp_path, name, changes):
    write_dataset(tmp_path / name, made(**changes))
    back = read_dataset(tmp_path / name)
    assert_equal(back, made(**changes))
    assert back.facts == made(**changes).facts
    assert len(back) == 5
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_spaces_may_be_given_as_they_are(tmp_path):
    write_dataset(tmp_path / "a.npz", made(facts={"env": "Walk-v0", "spaces": SPACES}))
    back = read_dataset(tmp_path / "a.npz")
    assert back.spaces == SPACES
    assert back.env == "Walk-v0"


def test_the_content_decides_not_the_ending(tmp_path):
    write_dataset(tmp_path / "a.npz", made())
    (tmp_path / "a.npz").rename(tmp_path / "a.hdf5")
    assert_equal(read_dataset(tmp_path / "a.hdf5"), made())


@pytest.mark.parametrize("write", [lambda path, arrays: np.savez_compressed(path, **arrays), write_hdf5])
def test_files_of_others_with_other_types_and_names(tmp_path, write):
    arrays = flat()
    arrays["observations"] = arrays["observations"].astype(np.float64)
    arrays["next_observations"] = arrays["next_observations"].astype(np.int16)
    arrays["actions"] = arrays["actions"].astype(np.uint8)[:, None]
    arrays["terminations"] = arrays.pop("terminals").astype(np.float32)
    arrays["truncations"] = arrays.pop("timeouts").astype(np.int8)
    write(tmp_path / "a.npz", arrays)
    back = read_dataset(tmp_path / "a.npz")
    assert_equal(back, made())
    assert (back.env, back.facts) == (None, {})


def test_images_are_scaled_as_those_of_environments_are(tmp_path):
    arrays = {**flat(), "observations": np.full((5, 4, 4, 1), 51, np.uint8)}
    np.savez(tmp_path / "a.npz", **{**arrays, "next_observations": arrays["observations"]})
    back = read_dataset(tmp_path / "a.npz")
    assert back.observation.dtype == np.float32
    assert np.array_equal(back.observation, encode(Box(0, 255, (4, 4, 1), np.uint8))(arrays["observations"]))
    assert back.observation == pytest.approx(0.2)


def test_d4rl_without_timeouts_has_no_time_limits(tmp_path):
    arrays = flat()
    del arrays["timeouts"]
    write_hdf5(tmp_path / "a.hdf5", arrays)
    assert_equal(read_dataset(tmp_path / "a.hdf5"), made(truncated=np.zeros(5, bool)))


def test_d4rl_without_next_observations(tmp_path):
    arrays = flat()
    del arrays["next_observations"]
    write_hdf5(tmp_path / "a.hdf5", arrays)
    back = read_dataset(tmp_path / "a.hdf5")
    # Rows 0 and 1 are followed by rows 1 and 2. Row 2 ended: what follows does not count. Row 3 is followed by row 4.
    # Row 4 met the time limit, and what it led to was not kept: it is left out, and row 3 is the last of its episode.
    assert back.observation[:, 0].tolist() == [0, 1, 2, 10]
    assert back.next_observation[[0, 1, 3], 0].tolist() == [1, 2, 11]
    assert back.reward.tolist() == [0.5, 1, 2, 3]
    assert back.terminated.tolist() == [False, False, True, False]
    assert back.truncated.tolist() == [False, False, False, True]


def test_the_last_row_without_next_observations_is_kept_only_after_an_end(tmp_path):
    arrays = flat()
    del arrays["next_observations"]
    for ended, rows in ((True, 5), (False, 4)):
        arrays["terminals"] = np.array([False, False, True, False, ended])
        arrays["timeouts"] = np.zeros(5, bool)
        np.savez(tmp_path / "a.npz", **arrays)
        assert len(read_dataset(tmp_path / "a.npz")) == rows


def test_minari(tmp_path):
    write_hdf5(tmp_path / "main_data.hdf5", minari(), **MINARI_SPACES)
    back = read_dataset(tmp_path / "main_data.hdf5")
    assert_equal(back, made())
    assert back.facts == FACTS


def test_minari_in_its_folder_with_its_facts_in_a_file_beside(tmp_path):
    data = tmp_path / "walk" / "data"
    data.mkdir(parents=True)
    write_hdf5(data / "main_data.hdf5", minari())
    (data / "metadata.json").write_text(json.dumps(MINARI_SPACES))
    back = read_dataset(tmp_path / "walk")
    assert_equal(back, made())
    assert back.facts == FACTS


def test_minari_with_continuous_actions_and_choices_from_1(tmp_path):
    box = json.dumps({"type": "Box", "shape": [1], "low": [-2.0], "high": [2.0], "dtype": "float32"})
    actions = {"episode_0/actions": np.array([[-2.0], [0], [1]]), "episode_1/actions": np.array([[2.0], [0.5]])}
    write_hdf5(tmp_path / "a.hdf5", minari(**actions), **{**MINARI_SPACES, "action_space": box})
    back = read_dataset(tmp_path / "a.hdf5")
    assert_equal(back, made(**CONTINUOUS))
    assert back.spaces == Spaces((2,), low=(-2.0,), high=(2.0,))
    later = json.dumps({"type": "Discrete", "n": 3, "start": 1})
    actions = {"episode_0/actions": np.array([1, 3, 2]), "episode_1/actions": np.array([1, 2])}
    write_hdf5(tmp_path / "b.hdf5", minari(**actions), **{**MINARI_SPACES, "action_space": later})
    assert_equal(read_dataset(tmp_path / "b.hdf5"), made())


def test_the_tenth_episode_comes_after_the_second(tmp_path):
    arrays = {name.replace("episode_1", "episode_10"): array for name, array in minari().items()}
    second = {name.replace("episode_0", "episode_2"): a for name, a in minari().items() if "episode_0" in name}
    write_hdf5(tmp_path / "a.hdf5", {**arrays, **second})
    assert read_dataset(tmp_path / "a.hdf5").observation[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 10, 11]


def test_an_episode_that_was_not_recorded_to_its_end_is_cut_there(tmp_path):
    write_hdf5(tmp_path / "a.hdf5", minari(**{"episode_1/truncations": np.array([False, False])}))
    assert read_dataset(tmp_path / "a.hdf5").truncated.tolist() == [False, False, False, False, True]


# ---------------------------------------------------------------------------------------------------------------------
# Spaces


def test_spaces_are_taken_from_the_arrays_where_they_can_show_them():
    assert made(facts={}).spaces == Spaces((2,), choices=3)
    small = made(action=np.array([[0.5, -1]] * 5, np.float32), facts={})
    assert small.spaces == Spaces((2,), low=(-1.0, -1.0), high=(1.0, 1.0))
    with pytest.raises(BadDataset) as caught:
        _ = made(action=CONTINUOUS["action"], facts={}).spaces
    assert str(caught.value) == (
        "the dataset does not say the bounds of its actions, which reach from -2 to 2. "
        "Name the environment that it comes from."
    )


def test_actions_as_policies_give_them():
    spaces = Spaces((2,), low=(0.0, -2.0), high=(1.0, 2.0))
    action = np.array([[0, -2], [0.5, 0], [1, 2], [0.25, 1], [1.0, 2.0]], np.float32)
    # 2 (a - low) / (high - low) - 1: for 0.25 in [0, 1] -0.5, for 1 in [-2, 2] 0.5
    expected = [[-1, -1], [0, 0], [1, 1], [-0.5, 0.5], [1, 1]]
    assert made(action=action).scaled_action(spaces).tolist() == expected
    assert made().scaled_action(SPACES).tolist() == [0, 2, 1, 0, 1]


@pytest.mark.parametrize(
    ("spaces", "message"),
    [
        (Spaces((4,), choices=3), "observations has rows of shape (2,); the environment says (4,)."),
        (Spaces((2,), choices=2), "actions has 2 in row 1; the environment says 2 choices, 0 to 1."),
        (Spaces((2,), low=(-1.0,), high=(1.0,)), "actions has shape (5,); the environment says rows of 1 numbers."),
    ],
)
def test_a_dataset_of_another_environment(spaces, message):
    with pytest.raises(BadDataset) as caught:
        check_fits(made(), spaces)
    assert str(caught.value) == message


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong is said


def refused(path):
    with pytest.raises(BadDataset) as caught:
        read_dataset(path)
    start = f"'{path}': "
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start)


NAN = np.array([0.5, np.nan, 2, np.inf, 4])
WRONG = [
    ({"rewards": np.zeros(4)}, "rewards has shape (4,); expected 5 rows, as many as observations has."),
    ({"rewards": np.zeros((5, 1))}, "rewards has shape (5, 1); expected (5,)."),
    ({"rewards": np.float32(1)}, "rewards has shape (); expected 5 rows, as many as observations has."),
    ({"rewards": NAN}, "rewards has numbers that are not finite in 2 of 5 rows, first in row 1."),
    ({"rewards": np.array(list("abcde"))}, "rewards has dtype <U1; expected numbers, such as float32."),
    ({"rewards": np.zeros(5, complex)}, "rewards has dtype complex128; expected numbers, such as float32."),
    (
        {"observations": np.stack([NAN, NAN], 1)},
        "observations has numbers that are not finite in 2 of 5 rows, first in row 1.",
    ),
    (
        {"observations": np.zeros(5)},
        "observations has shape (5,); expected one row of numbers for each transition, (n, size).",
    ),
    ({"next_observations": np.zeros((5, 3))}, "next_observations has shape (5, 3); expected (5, 2)."),
    (
        {"next_observations": np.zeros((6, 2))},
        "next_observations has shape (6, 2); expected 5 rows, as many as observations has.",
    ),
    (
        {"actions": np.zeros(5)},
        "actions has dtype float64 and shape (5,); expected whole numbers (5,), one choice in each row, or "
        "floating-point numbers (5, size).",
    ),
    (
        {"actions": np.zeros((5, 2), int)},
        "actions has dtype int64 and shape (5, 2); expected whole numbers (5,), one choice in each row, or "
        "floating-point numbers (5, size).",
    ),
    ({"actions": np.array([0, 1, -1, 0, 0])}, "actions has -1 in row 2; choices are counted from 0."),
    ({"actions": np.array([0, 1, 3, 0, 0])}, "actions has 3 in row 2; its spaces say 3 choices, 0 to 2."),
    ({"actions": np.zeros((5, 2))}, "actions has shape (5, 2); its spaces say one of 3 choices."),
    ({"actions": np.zeros((5, 1)) + np.nan}, "actions has numbers that are not finite in 5 of 5 rows, first in row 0."),
    ({"terminals": np.arange(5)}, "terminals has dtype int64 and values other than 0 and 1; expected booleans."),
    ({"timeouts": np.zeros((5, 1), bool)}, "timeouts has shape (5, 1); expected (5,)."),
    (
        {key: array[:0] for key, array in flat().items()},
        "it has no transitions.",
    ),
]


@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_wrong_arrays(tmp_path, suffix, changes, message):
    path = tmp_path / f"a{suffix}"
    arrays = {**flat(), **changes}
    if suffix == ".npz":
        np.savez(path, **arrays, facts=np.frombuffer(json.dumps(FACTS).encode(), np.uint8))
    else:
        arrays = {name: array.astype("S") if array.dtype.kind == "U" else array for name, array in arrays.items()}
        write_hdf5(path, arrays, facts=json.dumps(FACTS))
    assert refused(path) == message.replace("<U1", "<U1" if suffix == ".npz" else "|S1")


def test_a_continuous_action_out_of_range(tmp_path):
    arrays = {**flat(made(**CONTINUOUS)), "actions": np.array([[0], [0], [2.5], [0], [-3]])}
    np.savez(tmp_path / "a.npz", **arrays, facts=np.frombuffer(json.dumps(CONTINUOUS["facts"]).encode(), np.uint8))
    assert refused(tmp_path / "a.npz") == "actions has 2.5 in row 2, place 0; its spaces say -2 to 2."


@pytest.mark.parametrize("name", ["observations", "actions", "rewards", "terminals"])
def test_a_missing_array(tmp_path, name):
    arrays = flat()
    del arrays[name]
    np.savez(tmp_path / "a.npz", **arrays)
    assert refused(tmp_path / "a.npz") == f"it has no {name}; it has {', '.join(arrays)}."


def test_neither_next_observations_nor_timeouts(tmp_path):
    arrays = {name: array for name, array in flat().items() if name not in ("next_observations", "timeouts")}
    np.savez(tmp_path / "a.npz", **arrays)
    assert refused(tmp_path / "a.npz") == (
        "it has no timeouts; it has observations, actions, rewards, terminals. "
        "It may be missing only where there are next_observations."
    )


def test_wrong_lengths_without_next_observations(tmp_path):
    arrays = {**flat(), "actions": np.zeros(3, int)}
    del arrays["next_observations"]
    np.savez(tmp_path / "a.npz", **arrays)
    assert refused(tmp_path / "a.npz") == "actions has shape (3,); expected 5 rows, as many as observations has."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"episode_1/rewards": np.zeros(3)},
            "episode_1/rewards has shape (3,); expected 2 rows, one less than the 3 of observations, which has the "
            "last one too.",
        ),
        (
            {"episode_1/rewards": None},
            "episode_1 has no rewards; it has actions, observations, terminations, truncations.",
        ),
        (
            {"episode_1/observations": np.zeros((3, 4))},
            "episode_1/observations has rows of shape (4,), and episode_0 (2,).",
        ),
        (
            {"episode_0/observations": None, "episode_0/observations/goal": np.zeros((4, 2))},
            "episode_0/observations is a group of arrays, from a Dict or Tuple space; only plain arrays are read.",
        ),
        (
            {"episode_0/terminations": np.array([0, 2, 1])},
            "episode_0/terminations has dtype int64 and values other than 0 and 1; expected booleans.",
        ),
    ],
)
def test_wrong_episodes(tmp_path, changes, message):
    write_hdf5(tmp_path / "a.hdf5", minari(**changes))
    assert refused(tmp_path / "a.hdf5") == message


@pytest.mark.parametrize("name", ["a.npz", "a.hdf5"])
def test_a_truncated_file(tmp_path, name):
    write_dataset(tmp_path / name, made())
    whole = (tmp_path / name).read_bytes()
    for size in (len(whole) // 2, len(whole) - 1, 20):
        (tmp_path / name).write_bytes(whole[:size])
        message = refused(tmp_path / name)
        assert message.startswith("the file is damaged or was cut off (")
        assert message.endswith(").")


@pytest.mark.parametrize("name", ["a.npz", "a.hdf5"])
def test_a_flipped_bit_in_the_numbers(tmp_path, name):
    write_dataset(tmp_path / name, made())
    whole = bytearray((tmp_path / name).read_bytes())
    whole[whole.index(made().reward.tobytes()) + 3] ^= 4
    (tmp_path / name).write_bytes(whole)
    message = refused(tmp_path / name)
    if name == "a.npz":
        assert message == "rewards is damaged: its check sum is wrong."
    else:
        assert message.startswith("the file is damaged or was cut off (OSError: ")


def test_python_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "a.npz", allow_pickle=True, **{**flat(), "rewards": np.array([print] * 5)})
    assert (
        refused(tmp_path / "a.npz") == "rewards holds Python objects, which are not read: they could run any program."
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "the file is empty."), (b"observation,action\n", "it is neither NPZ nor HDF5.")],
)
def test_another_kind_of_file(tmp_path, content, message):
    (tmp_path / "a.npz").write_bytes(content)
    assert refused(tmp_path / "a.npz") == message


def test_no_file_and_no_dataset_in_a_folder(tmp_path):
    assert refused(tmp_path / "a.npz") == "there is no such file."
    assert refused(tmp_path) == "it is a folder without 'main_data.hdf5', so not a dataset of Minari either."


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([1], "its facts are list; expected a JSON object."),
        ({"spaces": [4]}, "its spaces are [4]; expected 'observation' and 'choices', or 'low' and 'high'."),
    ],
)
def test_wrong_facts(tmp_path, facts, message):
    write_hdf5(tmp_path / "a.hdf5", flat(), facts=json.dumps(facts))
    assert refused(tmp_path / "a.hdf5") == message


def test_what_is_wrong_is_not_written(tmp_path):
    with pytest.raises(BadDataset) as caught:
        write_dataset(tmp_path / "a.npz", made(reward=np.zeros(4, np.float32)))
    assert str(caught.value) == "rewards has shape (4,); expected 5 rows, as many as observations has."
    with pytest.raises(ValueError) as caught:
        write_dataset(tmp_path / "a.csv", made())
    path = tmp_path / "a"
    assert (
        str(caught.value) == f"a dataset is written as .npz or .hdf5, and '{path}.csv' is neither. Write '{path}.npz'."
    )
    assert list(tmp_path.iterdir()) == []
