"""Which frame of a stack to show."""

from __future__ import annotations

from whygrad.flow.site import Site, shared_site


def site(function: str, line: int, file: str = "train.py", first: int = 1) -> Site:
    return Site(file, line, 0, line, 10, function, first_line=first)


FORWARD = site("Actor.forward", 12, "nets.py", 10)
CALL = site("train", 33, first=30)
MAIN = site("<module>", 50)


def test_the_call_in_the_function_that_both_share() -> None:
    opened = (site("train", 31, first=30), MAIN)
    assert shared_site((FORWARD, CALL, MAIN), opened) == CALL


def test_the_innermost_function_of_the_other_decides_not_the_outermost() -> None:
    assert shared_site((FORWARD, CALL, MAIN), (MAIN,)) == MAIN


def test_nothing_where_they_do_not_meet() -> None:
    assert shared_site((FORWARD, CALL), (site("evaluate", 60, first=58), MAIN)) is None
    assert shared_site((FORWARD,), ()) is None
    assert shared_site((), (MAIN,)) is None


def test_the_same_name_elsewhere_is_another_function() -> None:
    assert shared_site((site("train", 33, "other.py", 30), MAIN), (site("train", 31, first=30),)) is None
    assert shared_site((site("train", 33, first=7), MAIN), (site("train", 31, first=30),)) is None


def test_recursion_gives_the_outermost_call() -> None:
    outer, inner = site("walk", 5), site("walk", 6)
    assert shared_site((FORWARD, inner, outer, MAIN), (site("walk", 4),)) == outer
