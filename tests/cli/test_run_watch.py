"""`whygrad run --watch`: the gradients of a whole run, from a script that knows nothing of it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from rl_runs import agents
from warm_runs import Warm

from whygrad.live.reading import Reading
from whygrad.report import json_form, step_picture

SCRIPT = """
import torch
from torch import nn

class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        self.critic = nn.Linear(4, 1)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())

torch.manual_seed(0)
agent = Agent()
for update in range(30):
    states = torch.randn(16, 4)
    values = agent.critic(states)
    critic_loss = ((values - 1) ** 2).mean()
    agent.critic_optimizer.zero_grad()
    critic_loss.backward()
    agent.critic_optimizer.step()
    actor_loss = (agent.actor(states) ** 2).mean()
    agent.actor_optimizer.zero_grad()
    actor_loss.backward()
    agent.actor_optimizer.step()
print(sum(p.double().sum().item() for p in [*agent.actor.parameters(), *agent.critic.parameters()]))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("watched")
    (folder / "agent.py").write_text(textwrap.dedent(SCRIPT))
    return folder, whygrad(folder, "run", "--watch", "agent.py")


def whygrad(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "whygrad", *words], cwd=folder, capture_output=True, text=True, check=False
    )


def test_it_says_where_the_gradients_are(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = ran
    assert done.returncode == 0
    said = done.stderr.splitlines()[-1]
    assert said == "whygrad: gradients kept in runs/agent-1; look at them: whygrad view runs/agent-1"


def test_every_optimizer_is_a_group_under_the_users_names(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    reading = Reading(ran[0] / "runs" / "agent-1")
    groups = reading.groups()
    assert [(group.name, group.updates) for group in groups] == [("Adam of critic", 30), ("Adam of actor", 30)]
    assert [v.name for v in groups[1].variables] == ["actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"]
    assert {v.network for v in groups[1].variables} == {"actor"}
    assert reading.looks(1)[0].first == 1  # when the optimizer is met, its first gradients may be clipped already
    assert set(reading.scalars()) == {"loss/Adam of critic", "loss/Adam of actor"}


def test_the_report_lies_beside_them(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    report = json_form.from_text((ran[0] / "runs" / "agent-1" / "report.json").read_text())
    assert report.clean
    png, width, height = step_picture.png(report.drawings[0])
    assert png.startswith(b"\x89PNG")
    assert (width > 300, height > 100) == (True, True)


def test_tensorboard_shows_the_step(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    board = accumulator.EventAccumulator(str(ran[0] / "runs" / "agent-1" / "tensorboard"))
    board.Reload()
    assert board.Tags()["images"] == ["training step (torch)"]
    assert "gradient_norm/actor.0.weight" in board.Tags()["scalars"]


def test_the_training_is_the_same_with_and_without(
    warm: Warm, ran: tuple[Path, subprocess.CompletedProcess[str]]
) -> None:
    folder, done = ran
    plain = warm.python(folder, "agent.py")
    assert (done.stdout, plain.status) == (plain.out, 0)


def test_a_script_that_trains_nothing_leaves_no_folder(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("import torch\nprint(torch.ones(1).item())\n")
    done = warm.whygrad(tmp_path, "run", "--watch", "idle.py")
    assert (done.status, done.out) == (0, "1.0\n")
    assert not (tmp_path / "runs").exists()


def test_a_script_that_fails_keeps_what_was_seen(warm: Warm, tmp_path: Path) -> None:
    script = SCRIPT.replace("print(", "raise RuntimeError('no more') or print(")
    (tmp_path / "agent.py").write_text(textwrap.dedent(script))
    assert warm.whygrad(tmp_path, "run", "--watch", "agent.py").status == 1
    assert [group.updates for group in Reading(tmp_path / "runs" / "agent-1").groups()] == [30, 30]


KERAS = """
import keras, numpy as np, tensorflow as tf

class Agent:
    def __init__(self):
        self.critic = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.Adam()

agent = Agent()
states = tf.constant(np.ones((4, 3), np.float32))

@tf.function
def update(states):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((agent.critic(states) - 1) ** 2)
    variables = agent.critic.trainable_variables
    agent.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

for _ in range(20):
    update(states)
"""


def test_a_keras_optimizer_is_watched_inside_a_compiled_function(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(KERAS)
    done = whygrad(tmp_path, "run", "--watch", "agent.py")
    assert done.returncode == 0
    assert "no gradient faults found" in done.stderr
    (group,) = Reading(tmp_path / "runs" / "agent-1").groups()
    assert (group.name, group.updates) == ("Adam", 20)
    assert [v.name for v in group.variables][:2] == ["critic.dense.kernel", "critic.dense.bias"]


KERAS_ON_TORCH = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras, numpy as np

keras.utils.set_random_seed(0)
states = np.random.default_rng(0).normal(size=(64, 4)).astype("f")
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh", name="hidden"), keras.layers.Dense(1)])
critic.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "mse")
critic.fit(states, np.ones((64, 1)), batch_size=8, epochs=3, shuffle=False, verbose=0)
print([float(v.value.detach().double().sum()).hex() for v in critic.trainable_variables])
"""


def test_keras_on_pytorch_is_watched_and_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(KERAS_ON_TORCH)
    plain = agents("torch").python(tmp_path, "train.py")
    done = whygrad(tmp_path, "run", "--watch", "train.py")
    assert (plain.status, done.returncode, done.stdout) == (0, 0, plain.out)
    assert "no gradient faults found in train.py (24 updates seen, torch)" in done.stderr
    (group,) = Reading(tmp_path / "runs" / "train-1").groups()
    assert (group.name, group.updates) == ("Adam of critic", 24)
    assert [v.name for v in group.variables][:2] == ["critic.hidden.kernel", "critic.hidden.bias"]


def test_keras_on_jax_is_watched_and_does_the_same(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    script = KERAS_ON_TORCH.replace('"torch"', '"jax"').replace(".detach().double()", "").replace(".hex()", "")
    (tmp_path / "train.py").write_text(script)
    plain = agents("jax").python(tmp_path, "train.py")
    done = whygrad(tmp_path, "run", "--watch", "train.py")
    assert (plain.status, done.returncode) == (0, 0)
    assert json.loads(done.stdout) == pytest.approx(json.loads(plain.out), rel=1e-4)  # the last bit is XLA's
    assert "no gradient faults found in train.py" in done.stderr
    (group,) = Reading(tmp_path / "runs" / "train-1").groups()
    assert (group.name, group.updates) == ("Adam", 24)
    assert [v.name for v in group.variables][:2] == ["sequential/hidden/kernel", "sequential/hidden/bias"]


JAX = """
import jax, jax.numpy as jnp, numpy as np, optax

rng = np.random.default_rng(0)
states = jnp.asarray(rng.normal(size=(32, 4)).astype("f"))
params = {"hidden": jnp.asarray(rng.normal(size=(4, 8)).astype("f")), "out": jnp.ones((8, 2))}
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.01))
opt_state = tx.init(params)

@jax.jit
def update(params, opt_state, number):
    gradients = jax.grad(lambda p: jnp.mean((jnp.tanh(states @ p["hidden"]) @ p["out"]) ** 2))(params)
    gradients = jax.tree.map(lambda g: jnp.where(number == 25, jnp.nan, g), gradients)
    updates, opt_state = tx.update(gradients, opt_state, params)
    return optax.apply_updates(params, jax.tree.map(jnp.nan_to_num, updates)), opt_state

for number in range(40):
    params, opt_state = update(params, opt_state, number)
print(int(opt_state[1][0].count), opt_state[0], [float(leaf.sum()).hex() for leaf in jax.tree.leaves(params)])
"""


def test_an_optax_program_is_watched_and_does_the_same(tmp_path: Path) -> None:
    pytest.importorskip("optax")
    (tmp_path / "train.py").write_text(JAX)
    plain = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    done = whygrad(tmp_path, "run", "--watch", "train.py")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "no gradient faults found in train.py (40 updates seen, jax)" in done.stderr
    assert "whygrad: The gradient of params['hidden'] and 1 more is NaN in update 25. [W402]" in done.stderr
    (group,) = Reading(tmp_path / "runs" / "train-1").groups()
    assert (group.name, group.updates) == ("tx", 40)
    (listed,) = [line for line in whygrad(tmp_path, "runs").stdout.splitlines() if line.startswith("train-1")]
    assert listed.split()[1:5] == ["train.py", "ended", "40", "1"]


def test_updates_that_are_made_by_hand_are_not_seen(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import jax, jax.numpy as jnp\n"
        "w = jnp.ones(3)\n"
        "for _ in range(5):\n"
        "    w = w - 0.1 * jax.grad(lambda w: (w**2).sum())(w)\n"
    )
    done = whygrad(tmp_path, "run", "--watch", "train.py")
    assert done.returncode == 0
    assert "updates that a program makes by hand are not seen" in " ".join(done.stderr.split())
    assert not (tmp_path / "runs").exists()
