"""Reading the user's source: expressions, comments, and where a loss was assigned."""

from __future__ import annotations

from pathlib import Path

import pytest

from whygrad.flow.site import Site
from whygrad.flow.source import allowances, assigned, expression, first_argument, line_text, meant


def place(file: Path, text: str, occurrence: int = 0, first: int = 1) -> Site:
    """The site of a piece of the file, columns in UTF-8 bytes as the interpreter counts them."""
    source = file.read_text()
    index = -1
    for _ in range(occurrence + 1):
        index = source.index(text, index + 1)
    before, end = source[:index], source[: index + len(text)]
    return Site(
        str(file),
        before.count("\n") + 1,
        len(before.rsplit("\n", 1)[-1].encode()),
        end.count("\n") + 1,
        len(end.rsplit("\n", 1)[-1].encode()),
        "<module>",
        first_line=first,
    )


@pytest.fixture
def script(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    file = tmp_path / f"{request.node.name}.py"
    file.write_text(
        "import torch\n"
        "größe = actor(zustände).detach()  # whygrad: ok W102\n"
        "loss = critic(\n"
        "    states,  # whygrad: ok W104, w103\n"
        "    größe,\n"
        ").mean()\n"
        "loss.backward()\n"
        "print(loss)  # whygrad: ok\n"
        "plain = 1  # whygrad: okay\n"
    )
    return file


def test_expression_counts_bytes_and_shows_characters(script: Path) -> None:
    assert expression(place(script, "actor(zustände).detach()")) == "actor(zustände).detach()"


def test_expression_over_lines_is_put_on_one(script: Path) -> None:
    text = "critic(\n    states,  # whygrad: ok W104, w103\n    größe,\n).mean()"
    shown = expression(place(script, text), limit=200)
    assert shown.startswith("critic( states,") and shown.endswith("größe, ).mean()")
    assert "\n" not in shown


def test_long_expression_is_shortened(script: Path) -> None:
    shown = expression(place(script, "actor(zustände).detach()"), limit=10)
    assert shown == "actor(zus…" and len(shown) == 10


def test_site_without_columns_shows_the_line(script: Path) -> None:
    assert expression(Site(str(script), 7, 0, 7, 0, "<module>")) == "loss.backward()"


def test_unreadable_file_gives_nothing() -> None:
    nowhere = Site("/no/such/file.py", 3, 0, 3, 5, "f")
    assert expression(nowhere) == ""
    assert line_text("/no/such/file.py", 3) == ""
    assert meant(nowhere) == set()
    assert assigned(nowhere) is None
    assert allowances("/no/such/file.py") == []


def test_comment_on_the_line_is_read(script: Path) -> None:
    assert meant(place(script, "actor(zustände).detach()")) == {"W102"}


def test_comment_on_any_line_of_the_expression_is_read(script: Path) -> None:
    start = place(script, "critic(")
    whole = Site(start.file, start.line, start.column, start.line + 3, 8, "<module>")
    assert meant(whole) == {"W103", "W104"}
    assert meant(start) == set()


def test_bare_ok_means_everything_and_okay_means_nothing(script: Path) -> None:
    assert meant(place(script, "print(loss)")) == {"*"}
    assert meant(place(script, "plain = 1")) == set()


def test_all_comments_of_a_file(script: Path) -> None:
    assert allowances(str(script)) == [(2, "W102"), (4, "W104"), (4, "W103")]


def loss_of(tmp_path: Path, source: str, asked: str, first: int = 1, name: str = "losses") -> tuple[int, str] | None:
    file = tmp_path / f"{name}_{abs(hash((source, asked)))}.py"
    file.write_text(source)
    found = assigned(place(file, asked, first=first))
    return (found.line, expression(found)) if found is not None else None


def test_loss_of_backward_is_its_last_assignment_before(tmp_path: Path) -> None:
    source = "loss = policy_loss\nloss = loss + value_loss\nloss.mean().backward()\nloss = 0\n"
    assert loss_of(tmp_path, source, "loss.mean().backward()") == (2, "loss = loss + value_loss")


def test_loss_of_backward_may_be_augmented_or_an_attribute(tmp_path: Path) -> None:
    assert loss_of(tmp_path, "loss = a\nloss += b\nloss.backward()\n", "loss.backward()") == (2, "loss += b")
    source = "def step(self):\n    self.loss = f(x)\n    self.loss.backward()\n"
    assert loss_of(tmp_path, source, "self.loss.backward()") == (2, "self.loss = f(x)")


def test_loss_of_a_tape_is_its_first_argument(tmp_path: Path) -> None:
    source = "loss = f(x)\nvariables = net.trainable_variables\ng = tape.gradient(loss, variables)\n"
    assert loss_of(tmp_path, source, "tape.gradient(loss, variables)") == (1, "loss = f(x)")


def test_assignments_of_other_functions_do_not_count(tmp_path: Path) -> None:
    source = "loss = 1\ndef train(loss):\n    loss.backward()\n"
    assert loss_of(tmp_path, source, "loss.backward()", first=2) is None


def test_no_assignment_no_site(tmp_path: Path) -> None:
    assert loss_of(tmp_path, "compute().backward()\n", "compute().backward()") is None
    assert loss_of(tmp_path, "x = 1\nloss.backward()\n", "loss.backward()") is None


def test_source_that_does_not_parse_is_survived(tmp_path: Path) -> None:
    assert loss_of(tmp_path, "loss = (\nloss.backward()\n", "loss.backward()") is None


def test_first_argument_of_a_call_over_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "apply.py"
    file.write_text("größe.apply(\n    zip(g, v),\n    step=1,\n)\nopt.apply(zip(g, v))\n")
    whole = place(file, "größe.apply(\n    zip(g, v),\n    step=1,\n)")
    given = first_argument(whole)
    assert given is not None
    assert (given.line, given.end_line, expression(given)) == (2, 2, "zip(g, v)")
    assert first_argument(place(file, "opt.apply(zip(g, v))")) is None
