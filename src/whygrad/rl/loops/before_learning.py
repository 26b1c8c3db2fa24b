"""What is done with a batch before it is learned from: the first one has its contract checked."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import Any


class BeforeLearning(ABC):
    """A loop whose learner does the learning."""

    _learner: Any

    @property
    def before_learning(self) -> Callable[[dict[str, Any]], None] | None:
        """Called with each batch before it is learned from."""
        found: Callable[[dict[str, Any]], None] | None = self._learner.before_learning
        return found

    @before_learning.setter
    def before_learning(self, call: Callable[[dict[str, Any]], None] | None) -> None:
        self._learner.before_learning = call
