"""A window for pictures, by pygame (which comes with `gymnasium[classic-control]`)."""

from __future__ import annotations

from typing import Any

import numpy as np


class Window:
    """Opens with the first picture."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._screen: Any = None
        self._clock: Any = None

    def show(self, picture: np.ndarray, fps: float) -> None:
        """Show a picture [height, width, 3], no sooner after the one before than this."""
        import pygame

        if self._screen is None:
            pygame.display.init()
            self._screen = pygame.display.set_mode(picture.shape[1::-1])
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        self._screen.blit(pygame.surfarray.make_surface(picture.transpose(1, 0, 2)), (0, 0))
        pygame.event.pump()
        self._clock.tick(fps)
        pygame.display.flip()

    def close(self) -> None:
        """Close it; another picture would open it again."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None
