"""whygrad probe and whygrad collect: what they refuse, and one small run of each."""

from __future__ import annotations

import json

import pytest
from cli_runs import whygrad
from rl_runs import agents

from whygrad.rl.dataset import read_dataset


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["probe", "dqm"], "there is no algorithm 'dqm'. Did you mean dqn?"),
        (["probe", "nowhere:Agent"], "there is no module 'nowhere' to find Agent in."),
        (["probe", "json:dumps"], "'json:dumps' should be a class that inherits from OffPolicy, OnPolicy or Offline"),
        (["probe", "dqn", "--only", "dicount"], "there is no probe 'dicount'; the probes are constant, observation,"),
        (["probe", "dqn", "--set", "tau=1"], "dqn has no setting 'tau'."),
        (["collect", "--random", "--steps", "5", "--out", "d.npz"], "random actions in which environment?"),
        (["collect", "--random", "--env", "CartPole-v1", "--steps", "5", "--out", "d.csv"], "got 'd.csv'."),
        (["collect", "--run", "none", "--steps", "5", "--out", "d.npz"], "There is no run at 'none'"),
        (
            ["collect", "--random", "--mix", "0.5", "--env", "CartPole-v1", "--steps", "5", "--out", "d.npz"],
            "--mix and --checkpoint go with --run",
        ),
    ],
)
def test_refusals(tmp_path, words, sentence):
    result = agents().whygrad(tmp_path, *words)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err
    assert "Traceback" not in result.err
    assert not list(tmp_path.glob("d.*"))


def test_collect_at_random(tmp_path):
    result = agents().whygrad(
        tmp_path, "collect", "--random", "--env", "Pendulum-v1", "--steps", "250", "--out", "d.h5"
    )
    assert result.status == 0, result.err
    assert result.out.startswith("250 steps of Pendulum-v1 (250 random), 1 episodes, mean return -")
    assert len(read_dataset(tmp_path / "d.h5")) == 250


OWN = """
from dataclasses import dataclass
from whygrad.rl import DQN

@dataclass(frozen=True, kw_only=True)
class Blind(DQN):
    NAME = "blind"

    def q_loss(self, nets, batch):
        return super().q_loss(nets, {**batch, "reward": 0.0 * batch["reward"]})
"""


def test_an_agent_of_ones_own_fails_and_is_told_why(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    result = agents().whygrad(tmp_path, "probe", "mine:Blind", "--only", "constant")
    assert result.status == 1, result.err
    assert "constant     discrete    FAILED" in result.out
    assert "Likely broken: the value loss or its optimizer" in result.out


def test_json(tmp_path):
    words = ["probe", "dqn", "--only", "constant", "--json", "--backend", "torch"]
    result = whygrad(tmp_path, *words)
    assert result.status == 0, result.err
    (found,) = json.loads(result.out)
    assert (found["probe"], found["passed"], found["answers"][0]["right_value"]) == ("constant", True, 1.0)
