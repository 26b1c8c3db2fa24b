"""From the path of a request to its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from whygrad.live.run_listing import Run, Runs
from whygrad.live.spread_rows import SpreadMemory
from whygrad.rules.catalogue import find
from whygrad.view import answers, report_parts
from whygrad.view.answers import Unknown
from whygrad.view.snake_games import SnakeGames

Query = Mapping[str, str]


class Routes:
    """Everything that can be asked for under `/api/`."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._spreads = SpreadMemory()
        self.games = SnakeGames()
        self._of_run: dict[str, Callable[[Run, Query], Any]] = {
            "overview": lambda run, query: answers.overview(run),
            "heat": self._heat,
            "variable": self._variable,
            "moment": self._moment,
            "report": lambda run, query: report_parts.parts(run),
            "game": lambda run, query: self.games.game(run.folder, query.get("shown", "")),
        }

    def answer(self, path: str, query: Query) -> Any:
        """Plain data; `Unknown` for what does not exist, `ValueError` for a number that is none."""
        parts = path.strip("/").split("/")
        if parts == ["api", "runs"]:
            return {"folder": str(self._runs.root), "runs": [run.glance() for run in self._runs.all()]}
        if len(parts) == 3 and parts[:2] == ["api", "rules"]:
            return _rule(parts[2])
        if len(parts) == 4 and parts[:2] == ["api", "runs"] and parts[3] in self._of_run:
            run = self._runs.get(parts[2])
            if run is None:
                raise Unknown("there is no such run (any more)")
            # The newest game is asked for until it has been played, though nothing is written meanwhile.
            version = run.version()
            if query.get("version") == version and parts[3] != "game":
                return {"same": True, "version": version, "live": run.live()}
            return {"version": version, **self._of_run[parts[3]](run, query)}
        raise Unknown("there is nothing here")

    def _heat(self, run: Run, query: Query) -> Any:
        return answers.heat_map(run, query.get("field", "norm"), _whole(query, "from"), _whole(query, "to"))

    def _variable(self, run: Run, query: Query) -> Any:
        return answers.variable(run, *_which(query), self._spreads)

    def _moment(self, run: Run, query: Query) -> Any:
        return answers.moment(run, *_which(query), _whole(query, "at") or 0, self._spreads)


def _which(query: Query) -> tuple[int, int]:
    group, place = _whole(query, "group"), _whole(query, "place")
    if group is None or place is None:
        raise ValueError("a variable is asked for by group and place")
    return group, place


def _whole(query: Query, name: str) -> int | None:
    text = query.get(name, "")
    return int(text[:18]) if text else None


def _rule(code: str) -> dict[str, str]:
    try:
        rule = find(code)
    except KeyError as error:
        raise Unknown(str(error.args[0])) from error
    return {"code": rule.code, "name": rule.name, "summary": rule.summary, "manual": rule.manual.strip()}
