"""`Limits` as a value; the tests of each part check that its limits are enforced."""

import pickle

import pytest

from penstock import Limits

DEFAULTS = (
    "Limits(depth=1000, token=268435456, lookahead=16777216, row=16777216, number=4300, total=None, "
    "memory=8589934592, ratio=500, window=134217728, "
    "attributes=1000, name=65536, tag=10485760, entities=10000, amplification=10, "
    "expansion=1073741824)"
)


def test_defaults() -> None:
    assert repr(Limits()) == DEFAULTS
    assert eval(DEFAULTS) == Limits()


def test_value() -> None:
    limits = Limits(depth=7, ratio=None, total=10)
    assert (limits.depth, limits.ratio, limits.total, limits.number) == (7, None, 10, 4300)
    assert limits == Limits(total=10, depth=7, ratio=None)
    assert hash(limits) == hash(Limits(total=10, depth=7, ratio=None))
    assert limits != Limits()
    assert limits != "Limits"
    assert pickle.loads(pickle.dumps(limits)) == limits


def test_frozen() -> None:
    limits = Limits()
    with pytest.raises(AttributeError, match="cannot be changed once made"):
        limits.depth = 3
    with pytest.raises(AttributeError, match="cannot be changed once made"):
        del limits.depth
    with pytest.raises(AttributeError):
        limits.other = 3  # type: ignore[attr-defined]
    assert limits == Limits()


@pytest.mark.parametrize(
    ("bounds", "kind", "message"),
    [
        ({"depth": "7"}, TypeError, "Limits(depth=...) takes an integer, not str"),
        ({"depth": None}, TypeError, "Limits(depth=...) takes an integer, not NoneType"),
        ({"total": 1.5}, TypeError, "Limits(total=...) takes an integer, not float"),
        ({"token": True}, TypeError, "Limits(token=...) takes an integer, not bool"),
        ({"window": 0}, ValueError, "Limits(window=0): a limit is at least 1"),
        ({"ratio": -1}, ValueError, "Limits(ratio=-1): a limit is at least 1"),
    ],
)
def test_refused(bounds: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        Limits(**bounds)  # type: ignore[arg-type]
    assert str(caught.value) == message
