"""An agent that a user writes: the documented example, and broken ones, which are told where they are broken."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path

import keras
import pytest
from keras import ops

from whygrad import BrokenContract
from whygrad.rl.agents.dqn import DQN, taken
from whygrad.rl.agents.sac import SAC, sample
from whygrad.rl.engine.contract import SuspiciousGradient
from whygrad.rl.training import resume, train

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_agent.py"
TINY = {"hidden": (8,), "batch_size": 32, "learning_starts": 32, "train_every": 16}
OPTIONS = {"steps": 64, "quiet": True, "tensorboard": False, "evaluate_episodes": 1, "evaluate_every": 64}


@pytest.fixture(scope="module")
def example():
    import importlib.util
    import sys

    spec = importlib.util.spec_from_file_location("own_agent", EXAMPLE)
    module = sys.modules["own_agent"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["own_agent"]


def test_the_example_trains_and_resumes(example, tmp_path):
    agent = example.MunchausenDQN(**TINY)
    trained = train(agent, "CartPole-v1", root=tmp_path, **{**OPTIONS, "checkpoint_every": 32})
    assert trained.finished and trained.best is not None
    with pytest.raises(ValueError, match=r"'munchausen-dqn', which is not one of whygrad's own agents: give it"):
        resume(trained.path, quiet=True)
    again = resume(trained.path, agent=agent, steps=96, quiet=True)
    assert again.steps == 96


def test_the_example_computes_its_target_by_hand(example):
    # τ = 1, α = 0.5, γ = 0.9. Q'(s, ·) = (0, 0): log π = −log 2 = −0.6931, clipped at −1: stays.
    # Q'(s', ·) = (0, 0) too: Σ ½ (0 + log 2) = log 2. Target: 2 − 0.5 · 0.6931 + 0.9 · 0.6931 = 2.2773.
    # Q(s, a) = 0: loss 2.2773² = 5.1859.
    agent = example.MunchausenDQN(temperature=1.0, bonus=0.5)
    spaces = example.Spaces((3,), choices=2)
    net = example.q_network(spaces, (4,))
    net.set_weights([0.0 * w for w in net.get_weights()])
    batch = {
        "observation": ops.ones((1, 3)), "next_observation": ops.ones((1, 3)), "action": ops.array([1]),
        "reward": ops.array([2.0]), "discount": ops.array([0.9]), "weight": ops.array([1.0]),
    }  # fmt: skip
    loss, _ = agent.q_loss({"q": net, "q_target": net}, batch)
    assert float(ops.convert_to_numpy(loss)) == pytest.approx(5.1859, abs=1e-3)


class Stopped(DQN):
    def q_loss(self, nets, batch):
        predicted = ops.stop_gradient(taken(nets["q"](batch["observation"]), batch["action"]))
        future = ops.max(nets["q_target"](batch["next_observation"]), axis=-1)
        error = batch["reward"] + batch["discount"] * future - predicted
        return ops.mean(error**2), {}


class ByArgmax(DQN):
    def q_loss(self, nets, batch):
        chosen = ops.cast(ops.argmax(nets["q"](batch["observation"]), axis=-1), "float32")
        future = ops.max(nets["q_target"](batch["next_observation"]), axis=-1)
        error = ops.stop_gradient(batch["reward"] + batch["discount"] * future) - chosen
        return ops.mean(error**2), {}


class ActorStopped(SAC):
    def actor_loss(self, nets, batch):
        action, _ = sample(nets["actor"](batch["observation"]), batch["noise"])
        action = ops.stop_gradient(action)
        return -ops.mean(nets["critic_1"]([batch["observation"], action])), {}


class TargetTrained(DQN):
    def q_loss(self, nets, batch):
        predicted = taken(nets["q"](batch["observation"]), batch["action"])
        future = ops.max(nets["q"](batch["next_observation"]), axis=-1)
        error = batch["reward"] + batch["discount"] * future - predicted
        return ops.mean(error**2), {}


def line_of(kind, method, words):
    source, first = inspect.getsourcelines(getattr(kind, method))
    return next(n for n, line in enumerate(source, first) if words in line)


def told(kind, env, root):
    with pytest.raises(BrokenContract) as caught:
        train(kind(**TINY), env, root=root, **OPTIONS)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "env", "method", "words", "code"),
    [
        (Stopped, "CartPole-v1", "q_loss", "ops.stop_gradient(taken", "W102"),
        (ByArgmax, "CartPole-v1", "q_loss", "ops.argmax", "W104"),
        (ActorStopped, "Pendulum-v1", "actor_loss", "ops.stop_gradient(action)", "W102"),
    ],
)
def test_a_broken_loss_is_told_with_its_line(kind, env, method, words, code, tmp_path):
    broken = told(kind, env, tmp_path)
    (finding,) = [f for f in broken.report.findings if f.contract]
    name = method.removesuffix("_loss")
    assert (finding.code, finding.contract) == (code, f"{name} loss")
    assert (Path(finding.where.file), finding.where.line) == (Path(__file__), line_of(kind, method, words))
    assert finding.loss.line == line_of(kind, method, "return")
    assert all(variable.startswith(f"{name}.") for variable in finding.variables)
    text = str(broken)
    assert "stopped with" not in text and "contract.py" not in text and "training.py" not in text
    assert f"{Path(__file__).name}:{finding.where.line}" in text


def test_a_doubtful_loss_is_a_warning(tmp_path):
    with pytest.warns(SuspiciousGradient, match="W501") as caught:
        train(TargetTrained(**TINY), "CartPole-v1", root=tmp_path, **OPTIONS)
    text = next(str(one.message) for one in caught if one.category is SuspiciousGradient)
    assert f"test_own_agents.py:{line_of(TargetTrained, 'q_loss', 'error =')}" in text


class OneHot(DQN):
    def q_loss(self, nets, batch):  # on PyTorch one_hot looks at values, so that it cannot be captured
        predicted = ops.sum(nets["q"](batch["observation"]) * ops.one_hot(batch["action"], 2), axis=-1)
        return ops.mean((batch["reward"] - predicted) ** 2), {}


def test_a_loss_that_cannot_be_captured_is_run_as_it_is(tmp_path):
    assert train(OneHot(**TINY), "CartPole-v1", root=tmp_path, **OPTIONS).finished


@dataclass(frozen=True, kw_only=True)
class Moody(DQN):
    """One whose target network is asked in training mode, against the rule."""

    def q_loss(self, nets, batch):
        values = nets["q"](batch["observation"], training=False)
        return ops.mean(taken(values, batch["action"]) ** 2), {}


def test_a_loss_can_say_in_which_mode_it_calls_a_network(tmp_path):
    def network(spaces):
        return keras.Sequential([keras.Input(spaces.observation), keras.layers.Dropout(0.999), keras.layers.Dense(2)])

    trained = train(Moody(**TINY), "CartPole-v1", networks={"q": network}, root=tmp_path, **OPTIONS)
    assert trained.finished
