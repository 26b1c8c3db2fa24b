"""Does what left at one expression come back at another? Asked of small functions."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from whygrad.flow.site import Site
from whygrad.trace.source_flow import comes_back

_numbers = itertools.count()


class Function:
    """A function in a file of its own, and sites in it by their text."""

    def __init__(self, folder: Path, body: str, head: str = "def step(actor, state, env):") -> None:
        self.file = folder / f"flow_{next(_numbers)}.py"
        self.source = head + "\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
        self.name = head.split("(")[0].removeprefix("def ")
        self.file.write_text(self.source)

    def at(self, text: str) -> Site:
        index = self.source.index(text)
        before, end = self.source[:index], self.source[: index + len(text)]
        return Site(
            str(self.file),
            before.count("\n") + 1,
            len(before.rsplit("\n", 1)[-1]),
            end.count("\n") + 1,
            len(end.rsplit("\n", 1)[-1]),
            self.name,
            first_line=1,
        )

    def flows(self, left: str, entered: str, same_function: bool = False) -> bool:
        return comes_back((self.at(left),), (self.at(entered),), same_function)


OUT, IN = "actor(state).numpy()", "tensor(force)"


@pytest.mark.parametrize(
    ("body", "back"),
    [
        pytest.param("force = actor(state).numpy()\nback = tensor(force)", True, id="at once"),
        pytest.param("x = actor(state).numpy()\nforce = np.sin(x) + 1\nback = tensor(force)", True, id="over a name"),
        pytest.param("force, y = actor(state).numpy(), 2\nback = tensor(force)", True, id="a tuple of names"),
        pytest.param("force = []\nforce.append(actor(state).numpy())\nback = tensor(force)", True, id="a list filled"),
        pytest.param("force = {}\nforce['a'] = actor(state).numpy()\nback = tensor(force)", True, id="a dict filled"),
        pytest.param("force = 0\nforce += actor(state).numpy()\nback = tensor(force)", True, id="augmented"),
        pytest.param("for force in actor(state).numpy():\n    back = tensor(force)", True, id="a loop variable"),
        pytest.param("for i in range(3):\n    if i:\n        back = tensor(force)\n    force = actor(state).numpy()",
                     True, id="around a loop"),
        pytest.param("if (force := actor(state).numpy()) is not None:\n    back = tensor(force)", True, id="a walrus"),
        pytest.param("with opened(actor(state).numpy()) as force:\n    back = tensor(force)", True, id="a with"),
        pytest.param("try:\n    force = actor(state).numpy()\nexcept ValueError:\n    pass\nback = tensor(force)",
                     True, id="a try"),
        pytest.param("log = actor(state).numpy()\nforce = state * 2\nback = tensor(force)", False, id="another name"),
        pytest.param("print(actor(state).numpy())\nforce = state * 2\nback = tensor(force)", False, id="a log line"),
        pytest.param("force = env.step(actor(state).numpy())\nback = tensor(force)", False, id="the environment"),
        pytest.param("force = np.random.normal(actor(state).numpy())\nback = tensor(force)", False, id="a draw"),
        pytest.param("a = actor(state).numpy()\nforce = env.step(a)\nback = tensor(force)", False,
                     id="the environment over a name"),
        pytest.param("force = state\nlogger.write(actor(state).numpy())\nback = tensor(force)", False,
                     id="an object that keeps it"),
    ],
)  # fmt: skip
def test_inside_one_function(tmp_path: Path, body: str, back: bool) -> None:
    assert Function(tmp_path, body).flows(OUT, IN) is back


def test_nested_in_the_entering_call(tmp_path: Path) -> None:
    function = Function(tmp_path, "back = tensor(np.sin(actor(state).numpy()))")
    assert function.flows(OUT, "tensor(np.sin(actor(state).numpy()))")


def test_attributes_are_followed(tmp_path: Path) -> None:
    body = "self.kept = actor(state).numpy()\nback = tensor(self.kept)"
    assert Function(tmp_path, body).flows(OUT, "tensor(self.kept)")


def test_one_attribute_is_not_another(tmp_path: Path) -> None:
    body = "self.kept = actor(state).numpy()\nback = tensor(self.other)"
    assert not Function(tmp_path, body).flows(OUT, "tensor(self.other)")


def test_one_and_the_same_call_says_nothing(tmp_path: Path) -> None:
    function = Function(tmp_path, "model.fit(x, y)")
    assert not function.flows("model.fit(x, y)", "model.fit(x, y)")


def test_what_a_helper_lets_out_comes_back_in_its_caller(tmp_path: Path) -> None:
    helper = Function(tmp_path, "return actor(state).numpy()", "def act(actor, state):")
    caller = Function(tmp_path, "force = act(actor, state)\nback = tensor(force)")
    left = helper.at(OUT), caller.at("act(actor, state)")
    assert comes_back(left, (caller.at(IN),))
    assert not comes_back(left, (caller.at(IN),), same_function=True)


def test_what_enters_in_a_helper_was_let_out_by_its_caller(tmp_path: Path) -> None:
    helper = Function(tmp_path, "return tensor(force)", "def wrap(force):")
    caller = Function(tmp_path, "a = actor(state).numpy()\nback = wrap(a)")
    entered = helper.at(IN), caller.at("wrap(a)")
    assert comes_back((caller.at(OUT),), entered)
    assert not comes_back((caller.at(OUT),), entered, same_function=True)


def test_stacks_that_do_not_meet(tmp_path: Path) -> None:
    one = Function(tmp_path, "force = actor(state).numpy()")
    other = Function(tmp_path, "back = tensor(force)")
    assert not comes_back((one.at(OUT),), (other.at(IN),))
    assert not comes_back((), (other.at(IN),))


def test_unreadable_source_claims_nothing() -> None:
    site = Site("/no/such/file.py", 3, 0, 3, 9, "f", first_line=1)
    later = Site("/no/such/file.py", 4, 0, 4, 9, "f", first_line=1)
    assert not comes_back((site,), (later,))


def test_nested_functions_are_another_affair(tmp_path: Path) -> None:
    body = "def inner():\n    force = actor(state).numpy()\nforce = state\nback = tensor(force)"
    function = Function(tmp_path, body)
    inside = function.at(OUT)
    assert not comes_back((inside,), (function.at("tensor(force)"),))
