"""The replay memory, against transitions worked out by hand and against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whygrad.rl import pixels
from whygrad.rl.replay import FIELDS, Replay


def made(size: int = 100, lanes: int = 1, n_step: int = 1, gamma: float = 0.5, **more: Any) -> Replay:
    return Replay(size, (1,), (), np.int64, lanes, n_step=n_step, gamma=gamma, **more)


def add(replay: Replay, seen: list[float], reward: list[float], final: list[float], ends: str) -> None:
    """One step of all lanes. `ends` has a letter for each: `t`erminated, time `l`imit or `.`; actions are 10 × seen."""
    replay.add(
        np.array(seen, np.float32)[:, None],
        np.array([round(10 * s) for s in seen]),
        np.array(reward, np.float32),
        np.array(final, np.float32)[:, None],
        np.array([c == "t" for c in ends]),
        np.array([c == "l" for c in ends]),
    )


def rows(replay: Replay) -> list[tuple[float, int, float, float, float]]:
    """(observation, action, reward, next observation, discount) of every row, in the order they were put in."""
    state = replay.state()
    return [
        (float(o[0]), int(a), float(r), float(n[0]), float(d))
        for o, a, r, n, d in zip(*(state[name] for name in FIELDS), strict=True)
    ]


def test_one_step_rows_are_what_was_added() -> None:
    replay = made(lanes=2)
    add(replay, [1, 5], [10, 50], [2, 6], "..")
    add(replay, [2, 6], [20, 60], [3, 7], "tl")
    assert rows(replay) == [
        (1, 10, 10, 2, 0.5),
        (5, 50, 50, 6, 0.5),
        (2, 20, 20, 3, 0.0),  # Terminated: nothing follows.
        (6, 60, 60, 7, 0.5),  # A time limit: what follows counts.
    ]
    replay.cut()
    assert len(replay) == 4


def test_three_steps_to_a_termination() -> None:
    replay = made(n_step=3)
    for seen, end in ((1, "."), (2, "."), (3, "."), (4, "t")):
        add(replay, [seen], [seen * 8], [seen + 1], end)
    assert rows(replay) == [
        (1, 10, 8 + 16 / 2 + 24 / 4, 4, 0.125),  # 22; all three steps were there: γ³ = 1/8.
        (2, 20, 16 + 24 / 2 + 32 / 4, 5, 0.0),
        (3, 30, 24 + 32 / 2, 5, 0.0),
        (4, 40, 32, 5, 0.0),
    ]


def test_three_steps_to_a_time_limit_discount_by_the_steps_really_made() -> None:
    replay = made(n_step=3)
    for seen, end in ((1, "."), (2, "."), (3, "."), (4, "l")):
        add(replay, [seen], [seen * 8], [seen + 1], end)
    assert rows(replay)[1:] == [(2, 20, 36, 5, 0.125), (3, 30, 40, 5, 0.25), (4, 40, 32, 5, 0.5)]


def test_an_episode_shorter_than_the_window() -> None:
    replay = made(n_step=5)
    add(replay, [1], [4], [2], ".")
    assert len(replay) == 0
    add(replay, [2], [8], [3], "t")
    assert rows(replay) == [(1, 10, 4 + 8 / 2, 3, 0.0), (2, 20, 8, 3, 0.0)]


def test_windows_do_not_reach_over_the_end_of_an_episode() -> None:
    replay = made(n_step=2)
    add(replay, [1], [4], [2], "t")
    add(replay, [7], [100], [8], ".")
    add(replay, [8], [200], [9], ".")
    assert rows(replay) == [(1, 10, 4, 2, 0.0), (7, 70, 100 + 200 / 2, 9, 0.25)]


def test_a_cut_keeps_what_is_open_and_starts_afresh() -> None:
    replay = made(n_step=3)
    add(replay, [1], [8], [2], ".")
    add(replay, [2], [16], [3], ".")
    replay.cut()
    assert rows(replay) == [(1, 10, 8 + 16 / 2, 3, 0.25), (2, 20, 16, 3, 0.5)]
    replay.cut()
    assert len(replay) == 2
    add(replay, [5], [40], [6], "t")
    assert rows(replay)[2:] == [(5, 50, 40, 6, 0.0)]


def test_lanes_end_at_their_own_times() -> None:
    replay = made(lanes=2, n_step=2)
    add(replay, [1, 5], [4, 40], [2, 6], "t.")
    add(replay, [3, 6], [8, 80], [4, 7], "..")
    add(replay, [4, 7], [16, 160], [5, 8], "..")
    assert rows(replay) == [
        (1, 10, 4, 2, 0.0),
        (5, 50, 40 + 80 / 2, 7, 0.25),
        (3, 30, 8 + 16 / 2, 5, 0.25),
        (6, 60, 80 + 160 / 2, 8, 0.25),
    ]


def test_terminated_wins_over_truncated() -> None:
    replay = made()
    replay.add(np.ones((1, 1)), np.ones(1), np.ones(1), np.ones((1, 1)), np.array([True]), np.array([True]))
    assert rows(replay)[0][4] == 0.0


def test_the_oldest_rows_give_way() -> None:
    replay = made(size=5, lanes=2)
    for t in range(4):
        add(replay, [t, t + 10], [0, 0], [0, 0], "..")
    # Eight rows into five places: 0 10 1 11 2 | 12 3 13, the last three over the first three.
    assert [row[0] for row in rows(replay)] == [12, 3, 13, 11, 2]
    assert len(replay) == 5


def test_an_end_writes_many_rows_over_the_edge() -> None:
    replay = made(size=5, n_step=4)
    for t in range(7):
        add(replay, [t], [0], [t + 1], "t" if t == 6 else ".")
    # Rows 0, 1, 2 came singly, 3 to 6 with the end; 5 and 6 went around.
    assert [row[0] for row in rows(replay)] == [5, 6, 2, 3, 4]


episodes = st.lists(
    st.lists(st.tuples(st.integers(-8, 8), st.sampled_from("....tl")), min_size=2, max_size=2), min_size=1, max_size=25
)


@settings(deadline=None, max_examples=200)
@given(steps=episodes, n=st.integers(1, 5), cut_at=st.integers(0, 25))
def test_n_step_rows_equal_brute_force(steps: list[list[tuple[int, str]]], n: int, cut_at: int) -> None:
    gamma = 0.5
    replay = made(size=200, lanes=2, n_step=n, gamma=gamma)
    for t, step in enumerate(steps):
        if t == cut_at:
            replay.cut()
        reward, ends = [r for r, _ in step], "".join(c for _, c in step)
        add(replay, [t, t + 100], reward, [t + 1, t + 101], ends)
    replay.cut()
    expected = []
    for lane in (0, 1):
        for t in range(len(steps)):
            total, discount = 0.0, 1.0
            for k in range(t, min(t + n, len(steps))):
                reward, end = steps[k][lane]
                total, discount = total + discount * reward, discount * gamma
                last = k
                if end != "." or k + 1 == cut_at:
                    break
            if end == "t":
                discount = 0.0
            seen = t + 100 * lane
            expected.append((seen, 10 * seen, total, last + 1 + 100 * lane, discount))
    assert sorted(rows(replay)) == sorted(expected)


def test_samples_are_rows_and_have_the_agreed_shapes() -> None:
    replay = Replay(50, (2, 3), (4,), np.float32, 2)
    rng = np.random.default_rng(0)
    for t in range(10):
        replay.add(
            np.full((2, 2, 3), t), np.full((2, 4), t), np.full(2, t), np.full((2, 2, 3), t + 1), np.zeros(2, bool),
            np.zeros(2, bool),
        )  # fmt: skip
    batch = replay.sample(rng, 3, 16)
    assert {name: array.shape for name, array in batch.items()} == {
        "observation": (3, 16, 2, 3), "action": (3, 16, 4), "reward": (3, 16), "next_observation": (3, 16, 2, 3),
        "discount": (3, 16), "weight": (3, 16), "index": (3, 16),
    }  # fmt: skip
    assert {array.dtype for name, array in batch.items() if name != "index"} == {np.dtype("float32")}
    assert (batch["observation"][..., 0, 0] == batch["reward"]).all()
    assert (batch["next_observation"][..., 0, 0] == batch["reward"] + 1).all()
    assert (batch["weight"] == 1.0).all()
    assert batch["index"].min() >= 0 and batch["index"].max() < 20


@pytest.mark.parametrize("n_step", [1, 3])
def test_images_are_kept_as_bytes_and_come_back_as_they_were(n_step: int) -> None:
    every_byte = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    replay = Replay(20, (16, 16), (), np.int64, 1, n_step=n_step, bytewise=True)
    alive = np.zeros(1, bool)
    for _ in range(4):
        replay.add(pixels.seen(every_byte), [0], [0.0], pixels.seen(every_byte[:, ::-1]), alive, alive)
    replay.take({
        "observation": pixels.seen(every_byte), "action": np.zeros(1, np.int64), "reward": np.zeros(1),
        "next_observation": pixels.seen(every_byte[:, ::-1]), "discount": np.ones(1),
    })  # fmt: skip
    batch = replay.sample(np.random.default_rng(0), 2, 50)
    assert replay.state()["observation"].dtype == replay.state()["next_observation"].dtype == np.uint8
    assert batch["observation"].dtype == np.float32
    assert (batch["observation"] == pixels.seen(every_byte)).all()
    assert (batch["next_observation"] == pixels.seen(every_byte[:, ::-1])).all()


def test_uniform_samples_are_uniform() -> None:
    replay = made(size=20)
    for t in range(20):
        add(replay, [t], [0], [0], ".")
    index = replay.sample(np.random.default_rng(1), 100, 100)["index"]
    counts = np.bincount(index.ravel(), minlength=20)
    # χ² of 20 cells has mean 19 and deviation √38 ≈ 6.2.
    assert ((counts - 500.0) ** 2 / 500.0).sum() < 19 + 4 * 6.2


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (
            lambda: made().sample(np.random.default_rng(0), 1, 1),
            "nothing to sample: the replay memory is empty; add transitions first",
        ),
        (
            lambda: made().reprioritise(np.array([0]), np.array([1.0])),
            "this replay memory has no priorities; make it with priority_exponent=0.6, for instance",
        ),
        (lambda: made(size=5, lanes=2, n_step=3), "a replay memory of 5 rows cannot hold 3 steps of 2 lanes"),
        (lambda: made(priority_exponent=-1.0), "priority_exponent must be 0 or more; received -1.0"),
        (
            lambda: made().load(Replay(9, (2,), (), np.int64, 1).state()),
            "the state's observation is float32[0, 2], which does not fit this replay memory: float32[100, 1]",
        ),
    ],
)
def test_mistakes_are_named(act: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        act()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("n_step", [1, 3])
@pytest.mark.parametrize("priority_exponent", [None, 0.6])
@pytest.mark.parametrize("steps", [0, 7, 23])
def test_a_memory_that_was_put_back_goes_on_the_same(n_step: int, priority_exponent: float | None, steps: int) -> None:
    def filled(replay: Replay, begin: int, end: int) -> None:
        for t in range(begin, end):
            add(replay, [t, t + 1], [t, -t], [t + 1, t + 2], ".t" if t % 5 == 4 else "l." if t % 7 == 6 else "..")
            if priority_exponent is not None and len(replay) > 4:
                batch = replay.sample(np.random.default_rng(t), 2, 4, 0.5)
                replay.reprioritise(batch["index"], np.abs(batch["reward"]))

    one = made(size=30, lanes=2, n_step=n_step, priority_exponent=priority_exponent)
    filled(one, 0, steps)
    kept = one.state()
    other = made(size=30, lanes=2, n_step=n_step, priority_exponent=priority_exponent)
    filled(other, 50, 60)  # What was in it before must not matter.
    other.load(kept)
    for replay in (one, other):
        filled(replay, steps, steps + 12)
    assert sorted(one.state()) == sorted(other.state())
    for name, array in one.state().items():
        assert array.dtype != object and np.array_equal(array, other.state()[name]), name
    first, second = (replay.sample(np.random.default_rng(9), 2, 8, 0.7) for replay in (one, other))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_a_state_is_a_copy() -> None:
    replay = made(size=2)
    add(replay, [1], [0], [2], ".")
    kept = replay.state()
    for t in range(3):
        add(replay, [50 + t], [0], [0], ".")
    assert kept["observation"].tolist() == [[1.0]]
