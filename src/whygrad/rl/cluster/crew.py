"""The workers of one training, as their learner sees them: orders go out, what they bring comes back.

One that dies, fails or hangs is replaced, and what it had not brought yet is lost: nothing of it was counted.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from whygrad.rl.cluster.joining import has_room
from whygrad.rl.cluster.post import Brought, Note, Post, Reply
from whygrad.rl.cluster.worker import Worker

START = 300.0
"""Seconds that a new worker has to get ready: it loads a framework and compiles the policy."""
TRIES = 3
"""Times in a row that a worker may be replaced without having brought anything."""


class WorkersFailed(RuntimeError):
    """A worker fails again and again; the message says with what."""


@dataclass(slots=True)
class _Place:
    """One worker's place; who fills it may change."""

    actor: Any
    asked: deque[Any] = field(default_factory=deque)
    """Calls that have not been answered, the oldest first."""
    since: float = 0.0
    """When the oldest of them could begin."""
    ready: bool = False
    """Whether who fills it has everything it needs. Until then the first call is the one that prepares it."""
    fruitless: int = 0


class Crew:
    """So many workers on a cluster. Numbers of workers are those of their posts."""

    def __init__(
        self, ray: Any, posts: Sequence[Post], variables: Mapping[str, str], cpus: float, patience: float
    ) -> None:
        self.notes: list[Note] = []
        self._ray, self._posts, self._cpus, self._patience = ray, list(posts), cpus, patience
        self._kind = ray.remote(Worker)
        self._environment = {"env_vars": dict(variables)}
        self._places = [self._hire(number, cpus) for number in range(len(posts))]

    def __len__(self) -> int:
        """How many workers there are."""
        return len(self._places)

    def asked(self, number: int) -> int:
        """Orders that a worker has not carried out."""
        place = self._places[number]
        return len(place.asked) - (not place.ready)

    def share(self, value: Any) -> Any:
        """Something for several workers, sent once."""
        return self._ray.put(value)

    def order(self, number: int, order: Any, weights: Any) -> None:
        """Have a worker do something; `weights` come from `share`."""
        place = self._places[number]
        if not place.asked:
            place.since = time.monotonic()
        place.asked.append(place.actor.work.remote(order, weights))

    def wait(self, seconds: float) -> list[tuple[int, Brought | None]]:
        """What came in within some seconds, by worker. None: it was replaced, and its orders are forgotten."""
        firsts = {place.asked[0]: number for number, place in enumerate(self._places) if place.asked}
        if not firsts:
            return []
        refs = list(firsts)
        ready, _ = self._ray.wait(refs, num_returns=1, timeout=seconds, fetch_local=False)
        if ready and len(refs) > 1:
            ready, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0, fetch_local=False)
        results = [(firsts[ref], self._answer(firsts[ref], ref)) for ref in ready]
        found: list[tuple[int, Brought | None]] = [(number, got) for number, (over, got) in results if over]
        return [*found, *((number, None) for number in self._hanging())]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        """Let everybody go."""
        for place in self._places:
            self._end(place.actor)

    def news(self) -> list[Note]:
        """What happened to workers since the last time."""
        notes, self.notes = self.notes, []
        return notes

    def _answer(self, number: int, ref: Any) -> tuple[bool, Brought | None]:
        """Whether the order is over, and what it brought."""
        place = self._places[number]
        errors = self._ray.exceptions
        try:
            reply: Reply = self._ray.get(ref)
        except (errors.RayActorError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError) as error:
            self._replace(number, "lost", f"worker {number} is gone: {_why(error)}")
            return True, None
        except errors.RayTaskError as error:  # it could not even unpack what it was sent
            self._replace(number, "crashed", f"worker {number} failed: {_why(error)}", str(error))
            return True, None
        place.since = time.monotonic()
        if reply.error is not None:
            self._replace(number, "crashed", f"worker {number} failed: {reply.error}", reply.traceback)
            return True, None
        if not place.ready:
            place.ready = True
            place.asked.popleft()
            return False, None
        if reply.brought is None:  # a rollout under way; of those a worker has one at a time
            place.asked[0] = place.actor.work.remote(None, None)
            return False, None
        place.asked.popleft()
        place.fruitless = 0
        return True, reply.brought

    def _hanging(self) -> list[int]:
        """Replace those that have not answered for too long."""
        now, found = time.monotonic(), []
        for number, place in enumerate(self._places):
            patience = self._patience if place.ready else max(self._patience, START)
            if place.asked and now - place.since > patience:
                text = f"worker {number} has not answered for {patience:g} seconds"
                self._replace(number, "hanging", text)
                found.append(number)
        return found

    def _replace(self, number: int, kind: str, text: str, detail: str = "") -> None:
        place = self._places[number]
        self.notes.append(Note(worker=f"worker {number}", kind=kind, text=f"{text}; it is replaced", detail=detail))
        self._end(place.actor)
        fruitless = place.fruitless + 1
        if fruitless >= TRIES:
            raise WorkersFailed(f"{text}, {TRIES} times in a row without having collected anything")
        cpus = self._cpus
        if not has_room(self._ray, cpus):  # with the node that it was on its CPUs are gone, too
            cpus = 0.0
            text = f"no CPU is free for the new worker {number}: it shares those of others"
            self.notes.append(Note(worker=f"worker {number}", kind="crowded", text=text))
        self._places[number] = self._hire(number, cpus, fruitless)

    def _hire(self, number: int, cpus: float, fruitless: int = 0) -> _Place:
        options = {"num_cpus": cpus, "runtime_env": self._environment, "max_restarts": 0, "max_task_retries": 0}
        actor = self._kind.options(**options).remote(self._posts[number])
        return _Place(actor, deque([actor.prepare.remote()]), time.monotonic(), fruitless=fruitless)

    def _end(self, actor: Any) -> None:
        with suppress(self._ray.exceptions.RayError, ValueError, RuntimeError):  # it is gone, or the cluster is
            self._ray.kill(actor, no_restart=True)


def _why(error: BaseException) -> str:
    """The first sentence of what Ray says; the rest are addresses and advice about Ray."""
    said = " ".join(str(error).split())
    return said.split(". ")[0][:200] or type(error).__name__
