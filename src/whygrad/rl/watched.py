"""The gradients of an agent under watch: what an engine says of every update, and now and then every number of it.

An engine gives the norms of all variables for each update anyway. Reading them waits for the device, so only some
rounds are read. At log times the gradients themselves are computed once more, for their histograms.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from whygrad.live import looks
from whygrad.live.array_pass import ArrayPass
from whygrad.live.budget import Budget
from whygrad.live.event import Event
from whygrad.live.looks import INDEX, Looks
from whygrad.live.run_folder import RunFolder
from whygrad.live.spreads import Spread
from whygrad.live.store import Variable
from whygrad.live.watched_run import WatchedRun
from whygrad.rl.agent import Loss
from whygrad.rl.bookkeeping import numbers, scale
from whygrad.rl.engine.last_step import LastStep
from whygrad.rl.loops.round import Round

_PRESENT, _NORM, _PEAK, _APPLIED = INDEX["present"], INDEX["norm"], INDEX["peak"], INDEX["applied"]
_RATIO, _WEIGHTS = INDEX["ratio"], INDEX["weights"]


class AgentWatch:
    """One group of variables for each loss."""

    def __init__(
        self, folder: RunFolder, losses: Iterable[Loss], variables: Mapping[str, Mapping[str, tuple[int, ...]]]
    ) -> None:
        self._run = WatchedRun(folder.path)
        self._losses = {loss.name: loss for loss in losses}
        self._names = {name: list(held) for name, held in variables.items()}
        self._groups = {
            name: self._run.group(name, [Variable(v, v.split(".")[0], shape) for v, shape in held.items()])
            for name, held in variables.items()
        }
        self._budget = Budget()
        self._rounds = self._updates = 0
        self._looked = dict.fromkeys(self._groups, 0)

    @property
    def events(self) -> list[Any]:
        """What was noticed so far."""
        return self._run.events

    def rewind(self, step: int, updates: int) -> None:
        """A run goes on from its checkpoint at this step, after so many updates."""
        self._run.store.rewind(step, updates - 1)

    def round(self, last: Round | None, updates: int) -> None:
        """A round is over, and so many updates were made in all."""
        number, self._rounds, self._updates = self._rounds, self._rounds + 1, updates
        if last is None or last.report is None or not self._budget.due(number):
            self._budget.ended(number, time.perf_counter(), 0.0)
            return
        began = time.perf_counter()
        for name, given in last.report.items():
            if given:
                each = numbers(given["norms_each"]) if "norms_each" in given else None
                self._take(name, numbers(given["norm"]), numbers(given["norms"]), updates, each)
        now = time.perf_counter()
        self._budget.ended(number, now, now - began)

    def log(self, step: int, row: Mapping[str, float]) -> None:
        """Returns, losses and whatever else a log line holds."""
        for name, value in row.items():
            self._run.store.scalar(name, step, value)

    def gradients(
        self,
        updates: int,
        found: Iterable[tuple[str, str, Any, float]],
        steps: Mapping[str, Mapping[str, LastStep]],
    ) -> None:
        """All numbers of all gradients in the last update: loss, variable, gradient, what clipping leaves of it.

        `steps` says for each loss how far its last update moved each variable.
        """
        held: dict[str, list[tuple[str, Any, float]]] = {}
        for loss, variable, gradient, left in found:
            held.setdefault(loss, []).append((variable, gradient, left))
        for loss, given in held.items():
            flat = np.concatenate([np.asarray(gradient, np.float32).reshape(-1) for _, gradient, _ in given])
            rows, counts = ArrayPass([np.size(gradient) for _, gradient, _ in given]).look(flat[None])
            rows[0, :, _APPLIED] = rows[0, :, _NORM] * np.array([left for _, _, left in given])
            for row, (variable, _, _) in zip(rows[0], given, strict=True):
                moved = steps[loss].get(variable)
                if moved is not None and moved.weights:
                    row[_RATIO], row[_WEIGHTS] = moved.step / moved.weights, moved.weights
            group, at = self._groups[loss], max(updates - 1, 0)
            self._run.take(group, [Looks(at, at, 1, time.time(), rows[0])], Spread(at, at, 1, counts))

    def note(self, updates: int, worker: str, kind: str, text: str) -> None:
        """Something happened to a worker: an event without a rule."""
        first = next(iter(self._groups.values()))
        self._run.tell(first, [Event(max(updates - 1, 0), f"worker {kind}", "", "", text, worker)])

    def close(self) -> None:
        """Store what is left."""
        for name in self._groups:
            self._tell(name)
        self._run.close()

    def _take(self, name: str, whole: Any, norms: Any, updates: int, each: Any = None) -> None:
        whole, norms = np.atleast_1d(whole), np.atleast_2d(norms)
        first, loss, now = updates - len(whole), self._losses[name], time.time()
        seen = []
        for at in range(len(whole)):
            if (first + at) % loss.every != loss.every - 1:
                continue  # this loss has its turn only now and then
            rows = looks.empty(len(self._names[name]))
            rows[:, _PRESENT] = 1.0
            rows[:, _NORM] = rows[:, _PEAK] = norms[at]
            rows[:, _APPLIED] = norms[at] * scale(loss, float(whole[at]))
            rows[:, INDEX["nans"]] = np.isnan(norms[at])
            rows[:, INDEX["infs"]] = np.isinf(norms[at])
            seen.append(Looks(first + at, first + at, 1, now, rows))
        if seen:
            self._looked[name] += len(seen)
            whose = None if each is None else partial(_whose, self._names[name], each, first)
            self._run.take(self._groups[name], seen, None, whose)
            self._tell(name)

    def _tell(self, name: str) -> None:
        self._run.store.progress(self._groups[name].id, self._updates, self._looked[name], self._budget.every)


def _whose(names: list[str], each: Any, first: int, event: Event) -> str:
    """The learners whose part of a gradient was not finite, or zero, when that of others was not."""
    at = event.at - first
    if event.variable not in names or not 0 <= at < len(each):
        return ""
    norms = each[at][:, names.index(event.variable)]
    odd = ~np.isfinite(norms) if event.kind == "not-finite" else norms == 0
    return "" if odd.all() else ", ".join(f"learner {rank}" for rank in np.flatnonzero(odd))
