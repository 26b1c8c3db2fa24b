"""A test that passes."""


def test_sums():
    assert 1 + 1 == 2
