"""Functions of PyTorch that are wrapped as long as somebody watches, and left as they were afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


class Followed:
    """One function of PyTorch with a wrapper around it while there is a watch."""

    def __init__(self, owner: Any, name: str, wrap: Callable[[Followed, Any], Any]) -> None:
        self.now: Any = None
        self.watches: list[Any] = []
        self._owner, self._name, self._wrap = owner, name, wrap
        self._original: Any = None

    def follow(self, watch: Any) -> None:
        """One more watch."""
        self.watches.append(watch)
        if self._original is None:
            self._original = getattr(self._owner, self._name)
            setattr(self._owner, self._name, self._wrap(self, self._original))

    def leave(self, watch: Any) -> None:
        """One watch less; the last one takes the wrapper away."""
        self.watches = [other for other in self.watches if other is not watch]
        if not self.watches and self._original is not None:
            setattr(self._owner, self._name, self._original)
            self._original = None


def _remember_root(followed: Followed, original: Any) -> Any:
    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        before, followed.now = followed.now, tensors
        try:
            return original(tensors, *args, **kwargs)
        finally:
            followed.now = before

    return backward


def _tell_unscaled(followed: Followed, original: Any) -> Any:
    def unscale(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(scaler, optimizer, *args, **kwargs)
        for watch in followed.watches:
            watch.unscaled(optimizer)
        return found

    return unscale


roots = Followed(torch.autograd, "backward", _remember_root)
"""`roots.now` is the tensor that is being differentiated."""
scalers = Followed(torch.amp.GradScaler, "_unscale_grads_", _tell_unscaled)
