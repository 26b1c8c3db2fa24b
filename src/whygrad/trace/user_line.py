"""Which line of whose code: stacks of frames with the frameworks left out.

A stack is captured for every recorded operation, so this is the hot path: frames are told apart by their code
object (looked at once), a stack is a tuple of integers (looked up in a dict), and columns are worked out only
when a recording is finished.
"""

from __future__ import annotations

import dis
import functools
import linecache
import os
import site
import sys
import sysconfig
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType

from whygrad.flow.site import Site, Stack

FRAMEWORKS = (
    "torch", "functorch", "torchvision", "torchaudio", "triton", "tensorflow", "keras", "tf_keras",
    "tensorflow_probability", "jax", "jaxlib", "flax", "optax", "equinox", "numpy", "scipy", "lightning",
    "pytorch_lightning", "lightning_fabric", "accelerate", "wrapt", "absl", "tqdm", "gin", "decorator", "tree",
    "optree", "einops", "jaxtyping", "typeguard", "chex", "distrax", "haiku", "orbax", "whygrad", "_pytest", "pluggy",
    "IPython", "ipykernel",
)  # fmt: skip
"""Packages whose frames are never the answer to "which line?"."""

_OWN_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_AGENTS = os.path.join(_OWN_PACKAGE, "rl", "agents") + os.sep


def _library_roots() -> tuple[str, ...]:
    roots = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    roots.update(getattr(site, "getsitepackages", list)())
    roots.add(site.getusersitepackages() if site.ENABLE_USER_SITE else "")
    return tuple(os.path.realpath(root) + os.sep for root in roots if root)


def _standard_roots() -> tuple[str, ...]:
    roots = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
    return tuple(os.path.realpath(root) + os.sep for root in roots if root)


_LIBRARIES = _library_roots()
_STANDARD = _standard_roots()

SKIP, LIBRARY, OWN, _STANDS_IN = 0, 1, 2, 3
_GENERATED = "__autograph_generated_file"

stand_ins: dict[CodeType, CodeType] = {}
"""Machinery of ours that asks for gradients, and the function whose end is shown as the place where that was done."""

outside: set[CodeType] = set()
"""Code that started us and runs around the program: the file that a shell finds under `whygrad`, for one."""

Rewritten = tuple[CodeType, dict[int, int]]
"""The function that generated code was made of, and for each line of the one the line of the other."""

rewriters: list[Callable[[str], Rewritten | None]] = []
"""Frameworks that run a version of their own of a user's function; asked by the name of the file they gave it."""


@functools.cache
def classify(filename: str) -> int:
    """SKIP for frameworks, the standard library and generated code; LIBRARY for installed code; OWN for the rest."""
    if filename.startswith("<"):
        # A notebook cell or an exec'd script is the user's; frozen importlib and <string> templates are not.
        return OWN if filename.startswith(("<ipython", "<stdin>", "<cell")) else SKIP
    path = os.path.realpath(filename)
    if path.startswith(_AGENTS):
        return LIBRARY  # an agent's loss can be wrong like any other
    if path.startswith(_OWN_PACKAGE) or _GENERATED in path:
        return SKIP
    for root in _LIBRARIES:
        if path.startswith(root):
            package = path[len(root) :].split(os.sep, 1)[0].removesuffix(".py")
            return SKIP if package in FRAMEWORKS else LIBRARY
    if path.startswith(_STANDARD):
        return SKIP
    parts = path.split(os.sep)
    for marker in ("site-packages", "dist-packages"):
        if marker in parts[:-1]:
            return SKIP if parts[parts.index(marker) + 1].removesuffix(".py") in FRAMEWORKS else LIBRARY
    for index in range(len(parts) - 1, 1, -1):
        if parts[index] in FRAMEWORKS and _installed(os.sep.join(parts[:index]), parts[index]):
            return SKIP  # `pip install --target`, or a directory that PYTHONPATH names
    return OWN


@functools.cache
def _installed(directory: str, package: str) -> bool:
    """Whether a package was installed into a directory: pip leaves a note beside it."""
    try:
        names = os.listdir(directory)
    except OSError:
        return False
    return any(package in n and n.endswith((".dist-info", ".egg-info")) for n in names)


class StackTable:
    """Numbers the stacks of a recording."""

    def __init__(self) -> None:
        self._kinds: dict[int, int] = {}
        self._codes: dict[int, CodeType] = {}  # keeps code objects alive, so that their id() stays theirs
        self._rewritten: dict[int, Rewritten] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._packed: list[tuple[int, ...]] = []

    def capture(self, frame: FrameType | None) -> int:
        """The number of the stack that begins at `frame`."""
        kinds = self._kinds
        key: list[int] = []
        while frame is not None:
            code = frame.f_code
            name = id(code)
            kind = kinds.get(name)
            if kind is None:
                self._codes[name] = code
                kind = kinds[name] = _STANDS_IN if code in stand_ins else self._kind(code)
            if kind == _STANDS_IN:
                if not key:  # nobody's own code is further in
                    key += self._end_of(stand_ins[code])
            elif kind:
                key.append(name)
                key.append(frame.f_lasti)
            frame = frame.f_back
        return self._number(tuple(key))

    def in_framework(self, frame: FrameType) -> bool:
        """Whether the innermost frame of a stack that was captured is a framework's own code."""
        return self._kinds.get(id(frame.f_code)) == SKIP

    def _kind(self, code: CodeType) -> int:
        """Of generated code, what the function is that it was made of."""
        if code in outside:
            return SKIP
        if _GENERATED in code.co_filename:
            for rewritten in [find(code.co_filename) for find in rewriters]:
                if rewritten is not None:
                    self._rewritten[id(code)] = rewritten
                    return classify(rewritten[0].co_filename)
        return classify(code.co_filename)

    def _end_of(self, code: CodeType) -> tuple[int, int]:
        """The last `return` of a function."""
        self._know(code)
        ends = [step.offset for step in dis.get_instructions(code) if step.opname == "RETURN_VALUE"]
        return id(code), ends[-1] if ends else 0

    def _know(self, code: CodeType) -> None:
        self._codes[id(code)] = code
        self._kinds[id(code)] = classify(code.co_filename)

    def _number(self, packed: tuple[int, ...]) -> int:
        number = self._numbers.get(packed)
        if number is None:
            number = self._numbers[packed] = len(self._numbers)
            self._packed.append(packed)
        return number

    def of_error(self, trace: TracebackType | None, frame: FrameType | None, innermost: FrameType | None = None) -> int:
        """The number of the stack in which an exception was raised; `frame` is where it was caught.

        What ran further in than `innermost` is left out.
        """
        key: list[int] = []
        while trace is not None:
            code = trace.tb_frame.f_code
            if classify(code.co_filename) and trace.tb_frame is not frame:
                self._know(code)
                key = [id(code), trace.tb_lasti, *key]
            trace = trace.tb_next if trace.tb_frame is not innermost else None
        return self._number((*key, *self._packed[self.capture(frame)]))

    def of_instruction(self, code: CodeType, offset: int) -> int:
        """The number of a stack that is one instruction of a function, which ran once and is over."""
        self._know(code)
        return self._number((id(code), offset))

    def deeper(self, number: int, base: int) -> bool:
        """Whether a stack has frames inside those of `base`."""
        return len(self._packed[number]) > len(self._packed[base])

    def inside(self, number: int, place: int) -> int:
        """A stack with the innermost line of another one further in: what was written there runs here."""
        return self._number(self._packed[place][:2] + self._packed[number])

    def moved(self, number: int, base: int, onto: int) -> int:
        """A stack that was captured in a function called from `base`, as it looks when called from `onto`."""
        if base == onto:
            return number
        packed, outer = self._packed[number], self._packed[base]
        inside = len(packed) - len(outer)
        if inside < 0 or packed[inside:] != outer:
            return number
        return self._number(packed[:inside] + self._packed[onto])

    def here(self) -> int:
        """The number of the caller's stack."""
        return self.capture(sys._getframe(1))

    def resolve(self) -> list[Stack]:
        """All stacks as sites, in the order of their numbers."""
        sites: dict[tuple[int, int], Site] = {}
        stacks: list[Stack] = []
        for packed in self._numbers:
            stack = []
            for name, lasti in zip(packed[::2], packed[1::2], strict=True):
                found = sites.get((name, lasti))
                if found is None:
                    found = sites[name, lasti] = self._site(name, lasti)
                stack.append(found)
            stacks.append(tuple(stack))
        return stacks

    def _site(self, name: int, lasti: int) -> Site:
        code = self._codes[name]
        line = end_line = code.co_firstlineno
        column = end_column = 0
        for index, place in enumerate(code.co_positions()):
            if index == lasti // 2:
                line = place[0] or line
                end_line = place[1] or line
                column, end_column = place[2] or 0, place[3] or 0
                break
        if name in self._rewritten:
            return self._before(self._rewritten[name], line, self._kinds[name] == OWN)
        return Site(
            file=code.co_filename,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            function=code.co_qualname,
            own=self._kinds[name] == OWN,
            first_line=code.co_firstlineno,
        )

    def _before(self, rewritten: Rewritten, line: int, own: bool) -> Site:
        """The user's line that a line of generated code was made of: all of it, for columns are not kept."""
        code, lines = rewritten
        known = [number for number in lines if number <= line]
        here = lines[max(known)] if known else code.co_firstlineno
        text = linecache.getline(code.co_filename, here).rstrip()
        begin = len(text) - len(text.lstrip())
        return Site(code.co_filename, here, begin, here, len(text), code.co_qualname, own, code.co_firstlineno)
