"""Snake by the rules of TensorFlow.js' snake-dqn, as a person would write them down: one game, lists, no arrays.

Fruits are put where somebody says. The tests step it beside ours.
"""

from __future__ import annotations

RIGHT, DOWN, LEFT, UP = (0, 1), (1, 0), (0, -1), (-1, 0)
HEADINGS = [RIGHT, DOWN, LEFT, UP]


class PlainSnake:
    def __init__(self, height, width, snake, fruits, heading=RIGHT):
        self.height, self.width, self.heading = height, width, heading
        self.snake, self.fruits = list(snake), set(fruits)

    def step(self, action):
        """0 straight on, 1 to the left, 2 to the right. Gives the reward, whether it died and whether it ate."""
        turn = {0: 0, 1: -1, 2: 1}[action]
        self.heading = HEADINGS[(HEADINGS.index(self.heading) + turn) % 4]
        y, x = self.snake[0][0] + self.heading[0], self.snake[0][1] + self.heading[1]
        if not (0 <= y < self.height and 0 <= x < self.width) or (y, x) in self.snake[1:]:
            return -10.0, True, False  # the tail has not moved yet: its cell counts
        self.snake.insert(0, (y, x))
        if (y, x) in self.fruits:
            self.fruits.remove((y, x))
            return 10.0, False, True
        self.snake.pop()
        return -0.2, False, False

    def good_action(self):
        """A safe step that brings the head nearer to a fruit, where there is one."""
        found = []
        for action, turn in ((0, 0), (1, -1), (2, 1)):
            down, right = HEADINGS[(HEADINGS.index(self.heading) + turn) % 4]
            y, x = self.snake[0][0] + down, self.snake[0][1] + right
            if 0 <= y < self.height and 0 <= x < self.width and (y, x) not in self.snake:
                found.append((min((abs(y - v) + abs(x - u) for v, u in self.fruits), default=0), action))
        return min(found)[1] if found else 0
