"""From a plan with workers to a loop that has them: who gets how many lanes, on which cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, Spaces
from whygrad.rl.cluster.crew import Crew
from whygrad.rl.cluster.gathered_loop import GatheredReplayLoop
from whygrad.rl.cluster.joining import free_cpus, has_room, joined
from whygrad.rl.cluster.learners import Peer, SharedEngine, check_learners, gpu_count
from whygrad.rl.cluster.post import Post
from whygrad.rl.cluster.split_rollout_loop import SplitRolloutLoop
from whygrad.rl.engine import Engine
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import BadPlan, Plan

_KEPT = ("TF_CPP_MIN_LOG_LEVEL", "TF_ENABLE_ONEDNN_OPTS", "XLA_FLAGS")


def split_lanes(agent: Agent, workers: int) -> list[int]:
    """So many lanes for each worker, as evenly as can be. An off-policy agent has at least one for each."""
    lanes = int(getattr(agent, "lanes", 1))
    if isinstance(agent, OffPolicy):
        lanes = max(lanes, workers)
    if lanes < workers:
        raise BadPlan(
            f"{agent.NAME} steps {lanes} environments together, which cannot be split over {workers} workers: at most "
            f"--workers {lanes}, or --set lanes={workers}"
        )
    return [lanes // workers + (number < lanes % workers) for number in range(workers)]


def cluster_loop(
    agent: Agent,
    engine: Engine,
    env: Any,
    networks: Mapping[str, Any] | None,
    spaces: Spaces,
    rng: np.random.Generator,
    plan: Plan,
    stack: ExitStack,
) -> Any:
    """The loop of an agent with `plan.workers` workers; the stack lets them go, and the cluster when it is ours."""
    lanes = split_lanes(agent, plan.workers)
    ray = stack.enter_context(joined(plan.ray))
    _check_room(ray, plan)
    firsts = np.cumsum([0, *lanes[:-1]]).tolist()
    posts = [
        Post(
            agent=agent, env=env, env_options=plan.env_options, networks=networks, lanes=count, first_lane=first,
            all_lanes=sum(lanes), total=plan.steps, precision=plan.precision, processes=plan.processes,
        )
        for count, first in zip(lanes, firsts, strict=True)
    ]  # fmt: skip
    crew = stack.enter_context(Crew(ray, posts, worker_variables(), plan.worker_cpus, plan.patience))
    if isinstance(agent, OffPolicy) and plan.ray is None:
        stack.enter_context(_fewer_threads(plan.workers))
    kind = SplitRolloutLoop if isinstance(agent, OnPolicy) else GatheredReplayLoop
    return kind(agent, engine, crew, lanes, spaces, rng, plan)  # type: ignore[arg-type]


def shared_engine(
    agent: Agent, engine: Any, networks: Mapping[str, Any] | None, spaces: Spaces, plan: Plan, stack: ExitStack
) -> SharedEngine:
    """An engine that shares its updates with `plan.learners - 1` others; the stack lets them go."""
    gpus = gpu_count(engine.networks) if keras.backend.backend() == "torch" else None
    check_learners(agent, plan, gpus)
    ray = stack.enter_context(joined(plan.ray))
    cpus = plan.worker_cpus if free_cpus(ray) >= (plan.learners - 1 + plan.workers) * plan.worker_cpus else 0.0

    def hire() -> list[Any]:
        peers = []
        for rank in range(1, plan.learners):
            variables = worker_variables(gpu=None if gpus is None else rank)
            kind = ray.remote(Peer).options(num_cpus=cpus, runtime_env={"env_vars": variables})
            peers.append(kind.remote(agent, spaces, networks, plan.precision))
        return peers

    shared = SharedEngine(engine, ray, hire, plan.patience)
    stack.callback(shared.leave)
    return shared


@contextmanager
def _fewer_threads(workers: int) -> Iterator[None]:
    """Leave the workers of this machine their cores: with threads on all of them an update took three times as long.

    In step this is not needed, for workers wait while the learner learns; there, results stay the same to the bit.
    """
    if keras.backend.backend() != "torch":  # TensorFlow and JAX decide when they are loaded
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(max(1, min(before, (os.cpu_count() or 1) - workers)))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def worker_variables(gpu: int | None = None) -> dict[str, str]:
    """The environment of a worker's process: the learner's framework, one thread, no GPU or one, the same modules."""
    found = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **found,
        "PYTHONPATH": os.pathsep.join(_own_paths()),
        "KERAS_BACKEND": keras.backend.backend(),
        "OMP_NUM_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "" if gpu is None else str(gpu),
        "JAX_PLATFORMS": "cpu",
    }


def _own_paths() -> list[str]:
    """Where this process finds modules of the user's, such as environments; what is installed a worker finds itself."""
    installed = tuple({str(Path(root).resolve()) for root in (sys.prefix, sys.base_prefix)})
    paths = [str(Path(path or ".").resolve()) for path in ["", *sys.path]]
    return [path for path in dict.fromkeys(paths) if not path.startswith(installed)]


def _check_room(ray: Any, plan: Plan) -> None:
    wanted = plan.workers * plan.worker_cpus
    if has_room(ray, wanted):
        return
    free = free_cpus(ray)
    where = f"the cluster at {plan.ray}" if plan.ray else "this machine"
    offers = []
    if free >= plan.worker_cpus:
        offers.append(f"--workers {int(free / plan.worker_cpus)}")
    if free > 0:
        share = np.floor(free / plan.workers * 100) / 100
        offers.append(f"for environments that mostly wait --worker-cpus {share:g}")
    raise BadPlan(
        f"{plan.workers} workers need {wanted:g} CPUs, and {where} has {free:g} free: "
        f"{' or '.join(offers) or 'wait until some are, or add machines'}"
    )
