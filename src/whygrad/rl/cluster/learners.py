"""Several learners for one update (PyTorch): this process and its peers, each with its part of every batch.

This process is the first learner. It alone has the memory, the checkpoints and the run folder; peers hold the same
networks and optimizers, and are told what to do. Gradients travel between them by PyTorch's own collectives.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, Spaces
from whygrad.rl.cluster.acting import acting_engine
from whygrad.rl.cluster.post import Note
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import BadPlan, Plan


class LearnerLost(RuntimeError):
    """A learner is gone in the middle of an update: what this process holds may be half of one."""


class Peer:
    """A learner beside the first one. Ray runs it, and it knows nothing of Ray."""

    def __init__(self, agent: Agent, spaces: Spaces, networks: Mapping[str, Any] | None, bits: str) -> None:
        self._engine: Any = acting_engine(agent, spaces, networks, bits)

    def join(self, address: str, rank: int, count: int, patience: float) -> None:
        """Meet the others at an address."""
        from whygrad.rl.engine.torch_sharing import Together, on_gpu

        self._engine.together = Together(address, rank, count, patience, on_gpu(self._engine.networks))

    def load(self, state: Mapping[str, Any]) -> None:
        """Become the same as the first."""
        self._engine.load({name: np.array(value) for name, value in state.items()})

    def update(self, batches: Mapping[str, Any], remaining: float) -> None:
        """This learner's part of some updates."""
        self._engine.update({name: np.array(rows) for name, rows in batches.items()}, remaining)


class SharedEngine:
    """The first learner's engine, whose updates the others share. Everything else is its own."""

    def __init__(self, engine: Any, ray: Any, hire: Callable[[], list[Any]], patience: float) -> None:
        self.notes: list[Note] = []
        self.own, self._ray, self._hire, self._patience = engine, ray, hire, patience
        self._peers: list[Any] = []
        self._under_way: list[Any] = []
        self._together()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def update(self, batches: Mapping[str, Any], remaining: float = 1.0) -> Any:
        """One update for each entry of the batches' first axis, every learner with its rows of each."""
        from whygrad.rl.engine.torch_sharing import lost

        count = len(self._peers) + 1
        rows = next(iter(batches.values())).shape[1]
        if rows % count:
            raise BadPlan(f"{count} learners cannot share batches of {rows} rows evenly: choose a multiple of {count}")
        parts = [
            {k: v[:, r * rows // count : (r + 1) * rows // count] for k, v in batches.items()} for r in range(count)
        ]
        pairs = zip(self._peers, parts[1:], strict=True)
        self._under_way = [peer.update.remote(part, remaining) for peer, part in pairs]
        try:
            report = self.own.update(parts[0], remaining)
            self._ray.get(self._under_way)
        except (self._ray.exceptions.RayError, RuntimeError) as error:
            if not isinstance(error, self._ray.exceptions.RayError) and not lost(error):
                raise
            raise LearnerLost(f"a learner is gone: {self._reason(error)}") from error
        return report

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, in every learner."""
        self.own.load(state)
        shared = self._ray.put(dict(state))
        self._ray.get([peer.load.remote(shared) for peer in self._peers])

    def mend(self, reason: str) -> None:
        """Make new peers for those that are left or gone. What they hold comes with `load`."""
        self.notes.append(Note(worker="learners", kind="lost", text=f"{reason}; all but the first are replaced"))
        self.leave()
        self._together()

    def leave(self) -> None:
        """Let the peers go."""
        if self.own.together is not None:
            self.own.together.leave()
            self.own.together = None
        for peer in self._peers:
            self._ray.kill(peer, no_restart=True)
        self._peers = []

    def _together(self) -> None:
        from whygrad.rl.engine.torch_sharing import Together, on_gpu

        self._peers = self._hire()
        address = f"{self._ray.util.get_node_ip_address()}:{_free_port()}"
        count = len(self._peers) + 1
        joining = [
            peer.join.remote(address, rank, count, self._patience) for rank, peer in enumerate(self._peers, start=1)
        ]
        self.own.together = Together(address, 0, count, max(self._patience, 300.0), on_gpu(self.own.networks))
        self._ray.get(joining)
        self.load(self.own.state())

    def _reason(self, error: BaseException) -> str:
        """What the peers say counts more than that a connection was closed."""
        for call in self._under_way:
            try:
                self._ray.get(call, timeout=5.0)
            except self._ray.exceptions.GetTimeoutError:
                continue
            except Exception as theirs:
                return " ".join(str(theirs).split()).split(". ")[0][:200]
        return " ".join(str(error).split())[:200]


def check_learners(agent: Agent, plan: Plan, gpus: int | None) -> None:
    """`BadPlan` where several learners cannot share the work; `gpus` is None when it is done on CPUs."""
    count = plan.learners
    if keras.backend.backend() != "torch":
        raise BadPlan(f"several learners are for PyTorch, and this runs on {keras.backend.backend()}: --backend torch")
    if gpus is not None and gpus < count:
        raise BadPlan(f"{count} learners need a GPU each, and this machine has {gpus}: --device cpu, or fewer")
    if isinstance(agent, OnPolicy) and agent.WHOLE_EPISODES:
        raise BadPlan(f"{agent.NAME} learns from whole episodes, which are not alike: learners cannot share them")
    if isinstance(agent, OffPolicy):
        rows, name = agent.batch_size, "batch_size"
    elif isinstance(agent, OnPolicy):
        rows, name = agent.minibatch or agent.horizon * agent.lanes, "minibatch"
    else:
        rows, name = int(getattr(agent, "batch_size", count)), "batch_size"
    if rows % count:
        raise BadPlan(
            f"{count} learners cannot share batches of {rows} rows evenly: --set {name}={rows // count * count}"
        )


def gpu_count(networks: Mapping[str, Any]) -> int | None:
    """GPUs of this machine when the networks are on one of them."""
    import torch

    from whygrad.rl.engine.torch_sharing import on_gpu

    return int(torch.cuda.device_count()) if on_gpu(networks) else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])
