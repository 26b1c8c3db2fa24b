"""Starting a recorder when, and only when, its framework is imported."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from whygrad.trace.session import Session

RECORDERS = {
    "torch": "whygrad.trace.torch_recorder",
    "tensorflow": "whygrad.trace.tensorflow_recorder",
    "jax": "whygrad.trace.jax_recorder",
}
"""Framework to the module that records it. Keras 3 counts as its backend."""

_WAITED_FOR = ("keras", "tf_keras")
"""Packages that recorders ask about: `import keras` brings in a framework when its own loader is running already."""

OLDEST = {"torch": (2, 4), "tensorflow": (2, 15), "jax": (0, 10)}


_running: list[Session] = []


def running() -> Session | None:
    """The session that records at this moment."""
    return _running[-1] if _running else None


def make_way() -> Callable[[], Any] | None:
    """End the session that records, where it makes way for another; what is returned begins it again."""
    session = running()
    return session.make_way() if session is not None and session.make_way is not None else None


def _forget_in_child() -> None:
    for session in _running:
        session.forget_in_child()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def begin(session: Session) -> ImportWatch:
    """Start recorders for what is imported already, and wait for the rest."""
    watch = ImportWatch(session)
    sys.meta_path.insert(0, watch)
    _running.append(session)
    for framework in RECORDERS:
        if sys.modules.get(framework) is not None:
            start(session, framework)
    return watch


def start(session: Session, framework: str) -> None:
    """Start one recorder; a framework we cannot follow becomes a note."""
    if framework in session.recorders:
        return
    try:
        version = getattr(sys.modules[framework], "__version__", None)
        if version is None:
            return  # a folder of that name, which Python took for a package
        version = str(version)
        if _numbers(version) < OLDEST[framework]:
            oldest = ".".join(map(str, OLDEST[framework]))
            session.notes.append(
                f"{framework} {version} is too old to be followed; whygrad needs {framework} {oldest} or later"
            )
            return
        session.recorders[framework] = importlib.import_module(RECORDERS[framework]).start(session)
    except Exception as error:
        session.trouble(framework, error)


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"(\d+)(?:\.(\d+))?", version)
    return tuple(int(part) for part in found.groups("0")) if found else ()


class ImportWatch(MetaPathFinder):
    """Sees imports go by; acts after the ones that somebody waits for."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._busy: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Let the other finders find the module, and wrap its loader."""
        if name in self._busy or not (name in RECORDERS or name in _WAITED_FOR or self.session.waits_for(name)):
            return None
        self._busy.add(name)
        try:
            spec = self._found(name, path, target)
        finally:
            self._busy.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Announcing(spec.loader, self.session)
        return spec

    def _found(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                return spec
        return None

    def end(self) -> None:
        """Stop watching."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        if self.session in _running:
            _running.remove(self.session)


class _Announcing(Loader):
    """A loader that tells the session when its module is ready."""

    def __init__(self, inner: Any, session: Session) -> None:
        self._inner = inner
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the real loader does."""
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As the real loader does; then the recorder starts."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        module.__loader__ = self._inner
        self._inner.exec_module(module)
        if self._session not in _running:
            return  # imported after the recording had ended
        if module.__name__ in RECORDERS:
            start(self._session, module.__name__)
        self._session.imported(module.__name__)
