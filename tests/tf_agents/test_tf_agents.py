"""TensorFlow 2.15 with Keras 2, as TF-Agents needs it: its agents train without a finding, a fault in one is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("tf_agents")

from tf_agents.agents.dqn import dqn_agent
from tf_agents.agents.reinforce import reinforce_agent
from tf_agents.networks import actor_distribution_network, sequential
from tf_agents.specs import tensor_spec
from tf_agents.trajectories import policy_step, time_step, trajectory

import whygrad

pytestmark = pytest.mark.filterwarnings("ignore")  # TensorFlow 2.15 and NumPy warn about each other

OBSERVATION = tf.TensorSpec((4,), tf.float32, "observation")
ACTION = tensor_spec.BoundedTensorSpec((), tf.int32, 0, 1, "action")


def experience(batch: int = 8, steps: int = 2) -> trajectory.Trajectory:
    draw = np.random.default_rng(0)
    shape = (batch, steps)
    return trajectory.Trajectory(
        step_type=tf.ones(shape, tf.int32),
        observation=tf.constant(draw.normal(size=(*shape, 4)), tf.float32),
        action=tf.constant(draw.integers(0, 2, size=shape), tf.int32),
        policy_info=(),
        next_step_type=tf.ones(shape, tf.int32),
        reward=tf.constant(draw.normal(size=shape), tf.float32),
        discount=tf.ones(shape),
    )


def dqn(q_network: object) -> dqn_agent.DqnAgent:
    agent = dqn_agent.DqnAgent(
        time_step.time_step_spec(OBSERVATION),
        ACTION,
        q_network=q_network,
        optimizer=tf.keras.optimizers.Adam(1e-3),
        td_errors_loss_fn=tf.keras.losses.MeanSquaredError(reduction="none"),
    )
    agent.initialize()
    return agent


def faults(report: whygrad.Report) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in report.findings if f.severity != "note"]


def test_dqn_agent_is_healthy() -> None:
    agent = dqn(sequential.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(2)]))
    batch = experience()
    report = whygrad.explain(lambda: [agent.train(batch) for _ in range(3)])
    assert report.script_error is None
    assert report.updates == 3
    assert faults(report) == []
    assert report.notes == ()


def test_reinforce_agent_is_healthy() -> None:
    network = actor_distribution_network.ActorDistributionNetwork(OBSERVATION, ACTION, fc_layer_params=(16,))
    agent = reinforce_agent.ReinforceAgent(
        time_step.time_step_spec(OBSERVATION), ACTION, network, tf.keras.optimizers.Adam(1e-3)
    )
    agent.initialize()
    batch = experience(batch=2, steps=5)._replace(next_step_type=tf.constant([[1, 1, 1, 2, 0]] * 2))
    report = whygrad.explain(lambda: [agent.train(batch) for _ in range(2)])
    assert report.script_error is None
    assert faults(report) == []


def test_a_stop_inside_the_q_network_is_named() -> None:
    body = tf.keras.layers.Dense(16, activation="relu")
    stop = tf.keras.layers.Lambda(lambda x: tf.stop_gradient(x))
    agent = dqn(sequential.Sequential([body, stop, tf.keras.layers.Dense(2)]))
    report = whygrad.explain(agent.train, experience())
    assert ("W102", "error") in faults(report)
    found = next(f for f in report.findings if f.code == "W102")
    assert found.where is not None
    assert "tf.stop_gradient(x)" in Path(found.where.file).read_text().splitlines()[found.where.line - 1]
    assert len(found.variables) == 2


def test_keras_2_fit() -> None:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.head, self.unused = tf.keras.layers.Dense(1), tf.keras.layers.Dense(3)
            self.unused.build((None, 4))

        def call(self, x: object) -> object:
            return self.head(x)

    net = Net()
    net.compile("sgd", "mse")
    x = np.ones((16, 4), "float32")
    report = whygrad.explain(lambda: net.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0))
    assert faults(report) == [("W105", "warning")]
    assert all("unused" in name for name in report.findings[0].variables)


def test_policy_steps_are_no_training() -> None:
    network = sequential.Sequential([tf.keras.layers.Dense(2)])
    agent = dqn(network)
    step = time_step.restart(tf.ones((1, 4)), batch_size=1)
    with whygrad.record() as run:
        action = agent.collect_policy.action(step)
    assert isinstance(action, policy_step.PolicyStep)
    assert run.report.findings == ()
