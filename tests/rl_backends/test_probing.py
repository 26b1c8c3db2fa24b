"""Healthy agents pass their probes; agents with one part broken fail the probe that is made for that part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from whygrad.faults import BrokenContract
from whygrad.rl import A2C, CQL, DDPG, DQN, PPO, REINFORCE, SAC, TD3
from whygrad.rl.agent import Agent
from whygrad.rl.plan import BadPlan
from whygrad.rl.probe_report import verdict
from whygrad.rl.probe_settings import adapt
from whygrad.rl.probing import check_gradients, choose, probe
from whygrad.rl.replay import Replay

pytestmark = pytest.mark.once


def failed(agent: Agent, *names: str) -> list[str]:
    results = probe(agent, names=names, attempts=1)
    return [result.probe.name for result in results if not result.passed]


@pytest.mark.parametrize("kind", [DQN, REINFORCE, A2C, PPO, DDPG, TD3, SAC, CQL], ids=lambda kind: kind.NAME)
def test_every_algorithm_passes_the_probe_that_needs_all_of_it(kind: type[Agent]) -> None:
    results = probe(kind(), names=["delay"])
    assert [result.passed for result in results] == [True] * len(kind.ACTIONS), verdict(results)


def test_an_algorithm_without_values_is_asked_for_actions_only() -> None:
    constant, action = [r for r in probe(REINFORCE(baseline=False), names=["constant", "action"]) if _discrete(r)]
    assert (constant.asked, constant.passed) == (False, True)
    assert (action.asked, action.passed) == (True, True)


def _discrete(result: Any) -> bool:
    return bool(result.probe.actions == "discrete")


def test_options_of_dqn_are_probed_as_they_are() -> None:
    assert failed(DQN(n_step=3, prioritised=True, dueling=True, double=False), "discount", "delay") == []


@dataclass(frozen=True, kw_only=True)
class Undiscounted(DQN):
    def q_loss(self, nets: Any, batch: Any) -> Any:
        return super().q_loss(nets, {**batch, "discount": batch["discount"] / self.gamma})


def test_a_target_without_discount_fails_the_discount() -> None:
    results = probe(Undiscounted(), names=["constant", "discount"], attempts=1)
    assert [result.passed for result in results] == [True, False]
    assert results[1].answers[0].value == pytest.approx(1.0, abs=0.1)  # 0 + 1, where 0 + 0.5 · 1 is right
    assert "Likely broken: the target of the value: discounting" in verdict(results)


def test_truncation_taken_for_termination_fails_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    add = Replay.add

    def no_bootstrapping(self: Replay, *row: Any) -> None:
        *others, terminated, truncated = row
        add(self, *others, terminated | truncated, np.zeros_like(truncated))

    monkeypatch.setattr(Replay, "add", no_bootstrapping)
    assert failed(DQN(), "discount", "timelimit") == ["timelimit"]


@dataclass(frozen=True, kw_only=True)
class Descending(DDPG):
    def actor_loss(self, nets: Any, batch: Any) -> Any:
        loss, shown = super().actor_loss(nets, batch)
        return -loss, shown


def test_an_actor_that_goes_the_wrong_way_fails_the_action() -> None:
    assert failed(Descending(), "constant", "action") == ["action"]


@dataclass(frozen=True, kw_only=True)
class Valueless(A2C):
    ACTIONS = ("discrete",)


def test_a_value_that_is_not_trained_fails_the_constant() -> None:
    assert failed(Valueless(value_weight=0.0), "constant") == ["constant"]


@dataclass(frozen=True, kw_only=True)
class Backwards(PPO):
    ACTIONS = ("discrete",)

    def loss(self, nets: Any, batch: Any) -> Any:
        return super().loss(nets, {**batch, "advantage": -batch["advantage"]})


def test_an_advantage_with_the_wrong_sign_fails_the_action() -> None:
    assert failed(Backwards(), "constant", "action") == ["action"]


@dataclass(frozen=True, kw_only=True)
class Promising(DQN):
    """Says that its loss trains a network that the loss never asks."""

    def networks(self, spaces: Any) -> dict[str, Any]:
        return {**super().networks(spaces), "spare": super().networks(spaces)["q"]}

    def losses(self, spaces: Any) -> Any:
        (loss,) = super().losses(spaces)
        return (replace(loss, trains=("q", "spare")),)


def test_the_diagnoser_is_asked_about_a_loss_that_reaches_nothing() -> None:
    check_gradients(DQN())
    with pytest.raises(BrokenContract, match="spare"):
        check_gradients(Promising())


def test_own_networks_are_made_for_each_probe() -> None:
    made = []

    def q(spaces: Any) -> Any:
        import keras

        made.append(spaces.observation)
        return keras.Sequential([keras.Input(spaces.observation), keras.layers.Dense(spaces.action_size)])

    assert len(probe(DQN(), networks={"q": q}, names=["constant", "delay"], steps=20, attempts=1)) == 2
    assert set(made) == {(1,), (2,)}


def test_what_probing_changes_and_what_not() -> None:
    mine = DQN(n_step=5, gamma=0.9, hidden=(7,), clip=3.0)
    changed = adapt(mine, "action", {"hidden": (8,)})
    assert isinstance(changed, DQN)
    assert (changed.n_step, changed.clip, changed.hidden, changed.gamma) == (5, 3.0, (8,), 0.5)


def test_what_cannot_be() -> None:
    with pytest.raises(BadPlan, match="there is no probe 'disount'; the probes are constant, observation, discount"):
        choose(DQN(), ["disount"])
    with pytest.raises(BadPlan, match="dqn has no setting 'tau'"):
        probe(DQN(), settings={"tau": 0.1})
