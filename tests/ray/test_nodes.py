"""A cluster of two machines, one of which goes down in the middle; and a learner that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from whygrad.live.run_folder import RunFolder
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.cluster.joining import joined
from whygrad.rl.training import resume, train

# A worker loads a framework: seconds on an idle machine, minutes on one that runs other suites at the same time.
pytestmark = pytest.mark.timeout(1_200)

AGENT = DQN(
    hidden=(16,), batch_size=32, learning_starts=64, train_every=2, learning_rate=3e-3, target_every=20,
    explore_share=0.5, gamma=0.9,
)  # fmt: skip


@pytest.fixture
def two_machines():
    """Ray's own stand-in for a cluster: a head without CPUs, two nodes with one each."""
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    try:
        yield cluster, nodes
    finally:
        cluster.shutdown()


def test_a_machine_that_goes_down_costs_nothing_but_time(two_machines, tmp_path):
    cluster, nodes = two_machines
    gone = threading.Event()

    def take_down():
        while not (rows := list(tmp_path.glob("*/metrics.jsonl"))) or not rows[0].read_text():
            time.sleep(0.05)
        cluster.remove_node(nodes[0], allow_graceful=False)
        gone.set()

    killer = threading.Thread(target=take_down)
    killer.start()
    trained = train(AGENT, "whygrad/ProbeMatch-v0", steps=4_000, seed=1, root=tmp_path, workers=2,
                    ray=cluster.address, quiet=True, tensorboard=False, check=False)  # fmt: skip
    killer.join()
    assert gone.is_set()
    assert trained.steps == 4_000
    assert trained.scores.mean == 1.0  # the right action in every state
    kinds = [note["kind"] for note in RunFolder.open(trained.path).notes()]
    assert "lost" in kinds
    assert "crowded" in kinds  # the CPU went with its machine


def test_a_learner_that_is_killed_goes_on_from_its_checkpoint(tmp_path):
    words = ["train", "dqn", "--env", "CartPole-v1", "--steps", "1500", "--checkpoint-every", "300", "--workers", "1",
             "--set", "hidden=16", "learning_starts=40", "--root", str(tmp_path), "--quiet", "--no-tensorboard",
             "--evaluate-every", "0", "--no-preset"]  # fmt: skip
    process = subprocess.Popen([sys.executable, "-m", "whygrad", *words])
    while not list(tmp_path.glob("*/checkpoints/last.npz")):
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (path,) = tmp_path.iterdir()
    begun = RunFolder.open(path).rows()
    trained = resume(path, quiet=True)
    assert trained.steps == 1_500
    steps = [row["step"] for row in RunFolder.open(path).rows()]
    assert steps == sorted(steps)
    assert begun[0] == RunFolder.open(path).rows()[0]  # what was logged before the checkpoint is still there


def test_versions_that_differ_are_one_sentence(monkeypatch):
    from whygrad.rl.cluster import joining

    said = (
        "Version mismatch: The cluster was started with: Ray: 2.50.0 Python: 3.10.4 This process on node 10.0.0.2 was "
        "started with: Ray: 2.60.0 Python: 3.11.7"
    )
    assert joining._reason("10.0.0.1:6379", RuntimeError(said)) == (
        "the cluster at 10.0.0.1:6379 runs other versions (Ray 2.50.0, Python 3.10.4) than this process (Ray 2.60.0, "
        "Python 3.11.7): install the same Ray and the same Python on all machines"
    )


def test_a_machine_without_a_cluster_of_its_own_is_one_sentence():
    from whygrad.rl.cluster import joining

    # Not asked of Ray: another test's cluster may be there.
    assert joining._reason("auto", ConnectionError("Could not find any running Ray instance.")) == (
        "no Ray cluster runs on this machine: start one with `ray start --head`, or leave --ray out"
    )


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1:1", r"no Ray cluster answers at 127.0.0.1:1 \(Connection refused\): start one with"),
        ("ray://127.0.0.1:1", r"no Ray cluster answers at ray://127.0.0.1:1 \(Connection refused\): start one with"),
        ("somewhere", r"the address of a Ray cluster is host:port .* got 'somewhere'"),
    ],
)
def test_no_cluster_is_one_sentence(address, sentence):
    from whygrad.rl.cluster.joining import NoCluster

    with pytest.raises(NoCluster, match=sentence), joined(address):
        pass


def test_without_ray_a_sentence_says_what_to_install(monkeypatch):
    import importlib.util

    from whygrad.rl.cluster.joining import NoCluster

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ray" else find(name))
    with pytest.raises(NoCluster, match=r"which is not installed here: pip install 'whygrad\[ray\]'"), joined():
        pass
