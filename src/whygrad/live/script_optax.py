"""Watching the Optax optimizers of a script that knows nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whygrad.live import jax_hosts
from whygrad.live.budget import Budget
from whygrad.live.jax_watch import JaxWatch
from whygrad.live.optax_hooks import OptaxHooks, Pair
from whygrad.live.watched_run import WatchedRun

_FAMILY = "whygrad run"


class ScriptOptax:
    """Every optimizer whose state the program asks for is watched; a state from elsewhere is left as it is."""

    def __init__(
        self,
        optax: Any,
        run: Callable[[], WatchedRun],
        free_name: Callable[[str], str],
        every: int | None,
        most: int,
        trouble: Callable[[str, Exception], None],
        say: Callable[[str], None],
    ) -> None:
        self._run, self._free_name, self._every, self._say = run, free_name, every, say
        self._tell = trouble
        self._watches: dict[int, tuple[Pair, JaxWatch]] = {}
        self._left: set[int] = set()
        self._hooks = OptaxHooks(optax, self._begun, self._updated, _FAMILY, most)

    def close(self) -> None:
        """Look no more."""
        self._hooks.close()
        for _, watch in self._watches.values():
            watch.close()

    def say_what_was_not_seen(self) -> None:
        """Once everything is stored."""
        for pair, watch in self._watches.values():
            if watch.used and not watch.updates:
                self._say(
                    f"nothing was seen of the gradients of `{pair.called}`: its state never came out of a compiled "
                    "function; return it beside the parameters"
                )

    def _begun(self, pair: Pair, state: Any, params: Any) -> Any:
        """The program asked for a state: ours goes into it."""
        try:
            if id(pair) not in self._watches:
                self._watches[id(pair)] = pair, self._watch(pair)
            found = self._watches[id(pair)][1].begun(state, params)
        except Exception as error:
            self._left.add(id(pair))
            self._trouble(error)
            return state
        if found is state and id(pair) not in self._left:
            self._left.add(id(pair))
            self._say(
                f"`{pair.called}` was not watched: its state is no named tuple and has none in it, so there is no "
                f"place for what is seen; {pair.called} = whygrad.watch(params, {pair.called}) makes one"
            )
        return found

    def _updated(
        self,
        pair: Pair,
        apply: Callable[[Any, Any, Any], tuple[Any, Any]],
        gradients: Any,
        state: Any,
        params: Any,
        extra: dict[str, Any],
    ) -> tuple[Any, Any]:
        """The program asked for an update. Its state may be that of another optimizer of the same kind."""
        found = jax_hosts.find(state, _FAMILY)
        if found is not None:
            for _, watch in self._watches.values():
                if watch.owns(found.watch):
                    return watch.updated(apply, pair, gradients, state, params, extra)
        elif id(pair) not in self._left:
            self._say(
                f"a state of `{pair.called}` was not watched: it did not come from `init` in this run, but from a "
                "file, or was put together by hand"
            )
        return apply(gradients, state, params)

    def _watch(self, pair: Pair) -> JaxWatch:
        name, budget = self._free_name(pair.called), lambda: Budget(every=self._every)
        return JaxWatch(self._run, name, budget, self._every, family=_FAMILY, trouble=self._trouble)

    def _trouble(self, error: Exception) -> None:
        self._tell("JAX", error)
