"""Classes that SQLAlchemy maps to tables: `Mapped[int]` means `int`."""

from __future__ import annotations

import pytest
from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    MappedAsDataclass,
    Session,
    mapped_column,
    relationship,
)

import penstock


class Base(DeclarativeBase):
    pass


class Country(Base):
    __tablename__ = "countries"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    cities: Mapped[list[City]] = relationship(back_populates="country")


class City(Base):
    __tablename__ = "cities"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    note: Mapped[str | None]
    size: Mapped[int] = mapped_column(default=5)
    country_id: Mapped[int | None] = mapped_column(ForeignKey("countries.id"))
    country: Mapped[Country | None] = relationship(back_populates="cities")


class Rows(MappedAsDataclass, DeclarativeBase):
    pass


class Town(Rows):
    __tablename__ = "towns"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    name: Mapped[str]
    size: Mapped[int] = mapped_column(default=5)


def test_objects_go_from_a_document_into_a_database() -> None:
    text = '[{"name": "Bern", "note": "capital"}, {"id": 7, "name": "Chur", "size": 9}]'
    cities = penstock.json.decode(text, list[City])
    assert [(city.id, city.name, city.note) for city in cities] == [
        (None, "Bern", "capital"),
        (7, "Chur", None),
    ]
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all(cities)
        session.commit()
        assert [(city.name, city.size) for city in session.query(City).order_by(City.name)] == [
            ("Bern", 5),
            ("Chur", 9),
        ]
    engine.dispose()


def test_related_objects() -> None:
    country = penstock.json.decode('{"name": "CH", "cities": [{"name": "Bern"}]}', Country)
    assert [city.name for city in country.cities] == ["Bern"]
    assert country.cities[0].country is country


def test_a_column_without_a_value_is_an_error() -> None:
    with pytest.raises(penstock.ValidationError, match='City lacks the required key "name"'):
        penstock.json.decode("{}", City)
    with pytest.raises(penstock.ValidationError, match="expected int, got a string"):
        penstock.json.decode('{"name": "a", "size": "x"}', City)


def test_mapped_dataclasses() -> None:
    town = penstock.json.decode('{"name": "Chur"}', Town)
    assert (town.name, town.size) == ("Chur", 5)
    assert penstock.make({"name": "Bern", "size": 6}, Town).size == 6
