"""Tables that were taken for one column."""

import random

import pytest

import penstock
from penstock import csv
from penstock.csv import Dialect


def test_719() -> None:
    """Columns filled up with spaces were inferred as one column, without a word."""
    text = "id    carat      cut\n1      0.23    Ideal\n2      0.21  Premium\n"
    for verb in (csv.infer, lambda text: list(csv.read(text, dialect="infer"))):
        with pytest.raises(penstock.MalformedInput, match="no dialect reads this as a table"):
            verb([text.encode()])


def test_720() -> None:
    """A table with spaces around its delimiters, between comments, was inferred as one column."""
    text = (
        b"# publisher City of Palo Alto\n GID , Street , Inventory Date\n"
        b"1 , ADDISON AV , 10/18/2010\n# updated 12/31/2010\n,,\n"
    )
    reader = csv.read([text], dialect="infer")
    assert list(reader) == [
        {"GID": "1", "Street": "ADDISON AV", "Inventory Date": "10/18/2010"},
        {"GID": "", "Street": "", "Inventory Date": ""},
    ]
    assert reader.dialect == Dialect(comment="#", trim=True)


def test_721() -> None:
    """One column stays one: words, numbers, and sentences with commas."""
    draw = random.Random(7)
    words = ["Bern", "La Chaux", "Biel, or Bienne", "St. Gall"]
    for count in range(2, 40):
        lines = ["town", *(draw.choice(words) for _ in range(count))]
        found = csv.infer([("\n".join(lines) + "\n").encode()])
        assert (found.delimiter, found.skip_rows) == (",", 0) or "," in "".join(lines)
        numbers = ["size", *(str(draw.randrange(1_000)) for _ in range(count))]
        reader = csv.read([("\n".join(numbers) + "\n").encode()], dialect="infer")
        assert list(reader) == [{"size": number} for number in numbers[1:]]
    one = "name\nA  b\nC\n"
    assert csv.decode(one, dialect="infer") == [{"name": "A  b"}, {"name": "C"}]
