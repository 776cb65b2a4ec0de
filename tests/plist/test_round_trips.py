"""What is written in any form is read back as an equal object of the same types."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
import random_classes
from catalogue import EXAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import plist

RANDOM = st.randoms(use_true_random=False)
PATIENT = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
FORMS: list[Any] = ["binary", "xml", "gnustep", "openstep", "json"]
REFUSED = re.compile(
    random_classes.REFUSED.pattern
    + r"|a property list has (?:no null|integers from)|an OpenStep property list has no "
    r"|is an InitVar|a path with an index|nothing says how the value is written"
    r"|a decimal number that no double holds|cannot stand in|is no date that can be written"
    r"|a binary property list has no microseconds for"
)


def alike(one: Any, other: Any) -> bool:
    """Compare scalars as a property list has them: dates in UTC, as fine as the form allows."""
    if not isinstance(one, datetime) or not isinstance(other, datetime):
        return bool(one == other)
    one, other = (it if it.tzinfo else it.replace(tzinfo=UTC) for it in (one, other))
    return abs(one - other) < timedelta(seconds=1)


def text_alike(one: Any, other: Any) -> bool:
    """The same where text has no types: a union may take it for another one."""
    return alike(one, other) or str(one) == str(other)


def read_back(form: Any, annotation: Any, value: Any) -> None:
    """Write a value and read it back, unless the form cannot hold it."""
    options: dict[str, Any] = {}
    if form == "binary":
        options["stream"] = len(repr(value)) % 2 == 0
    try:
        data = plist.encode(value, annotation, form=form, **options)
    except (penstock.EncodeError, penstock.PlanError) as error:
        if not REFUSED.search(str(error)):
            raise
        return
    # A lone word of JSON is a string of OpenStep's, too.
    back = plist.decode(data, annotation, form="json" if form == "json" else None)
    how = text_alike if form in {"openstep", "gnustep"} else alike
    assert random_classes.same(back, value, how), (data, back, value)


@pytest.mark.parametrize("form", FORMS)
@given(random=RANDOM)
@PATIENT
def test_any_class(form: Any, random: Random) -> None:
    kind = random_classes.any_kind(random)
    read_back(form, kind.annotation, kind.make(random))


@pytest.mark.parametrize("kind", random_classes.SCALARS + random_classes.ELEMENTS)
@given(random=RANDOM)
@settings(max_examples=20, deadline=None)
def test_each_kind(kind: random_classes.Kind, random: Random) -> None:
    several = random_classes.collection(random, kind)
    for form in FORMS:
        read_back(form, kind.annotation, kind.make(random))
        read_back(form, several.annotation, several.make(random))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type_of_the_catalogue(name: str) -> None:
    example = EXAMPLES[name]
    value = penstock.json.decode(example.json, example.type)
    for form in FORMS:
        read_back(form, example.type, value)
