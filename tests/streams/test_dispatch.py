"""Which method of a stage gets an item."""

# ruff: noqa: N802, N815, ARG001, ARG002 - methods are named after classes, and ignore their items

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from penstock.streams import Pipeline, Stream


class Place:
    pass


class City(Place):
    pass


class Capital(City):
    pass


def said(stage: Stream, item: Any) -> list[Any]:
    return Pipeline(stage).process(item)


def test_by_the_name_of_the_class_then_of_its_bases():
    class Kinds(Stream):
        def write_City(self, city: City) -> bool | None:
            return self.emit(f"city {type(city).__name__}")

        def write_int(self, number: int) -> bool | None:
            return self.emit(f"int {number}")

    assert said(Kinds(), City()) == ["city City"]
    assert said(Kinds(), Capital()) == ["city Capital"]
    assert said(Kinds(), True) == ["int True"]
    # Anything else is emitted unchanged.
    place = Place()
    assert said(Kinds(), place) == [place]
    assert said(Kinds(), None) == [None]


def test_write_object_is_for_the_rest():
    class Strict(Stream):
        def write_str(self, text: str) -> bool | None:
            return self.emit(text)

        def write_object(self, obj: Any) -> bool | None:
            return self.emit(type(obj).__name__)

    assert list(["a", 1, City()] | Strict()) == ["a", "int", "City"]


def test_registered_functions():
    class Kinds(Stream):
        def write_Place(self, place: Place) -> bool | None:
            return self.emit("place, by name")

        def write_Capital(self, place: Place) -> bool | None:
            return self.emit("capital, by name")

    class Special(Kinds):
        pass

    @Kinds.on(City, int)
    def registered(stage: Kinds, item: Any) -> bool | None:
        return stage.emit("registered")

    assert said(Kinds(), Place()) == ["place, by name"]
    assert said(Kinds(), City()) == said(Kinds(), 1) == ["registered"]
    # The nearest class of the item counts, however the method was found.
    assert said(Kinds(), Capital()) == ["capital, by name"]
    assert said(Special(), City()) == ["registered"]

    @Special.on(City)
    def special(stage: Special, item: Any) -> bool | None:
        return stage.emit("special")

    # It was cached before.
    assert said(Special(), City()) == ["special"]
    assert said(Kinds(), City()) == ["registered"]
    # A function is returned as it is.
    assert callable(registered)
    assert registered.__name__ == "registered"


def test_a_class_may_know_a_kind_of_stage():
    class Report(Stream):
        def write_line(self, text: str) -> bool | None:
            return self.emit(text)

        def write_Invoice(self, obj: Any) -> bool | None:
            return self.emit("by the stage")

    class Short(Report):
        pass

    class Other(Stream):
        pass

    class Invoice:
        def write_to_Report(self, stream: Report) -> bool | None:
            stream.write_line("invoice")
            return stream.write_line("42.00")

    class Refund(Invoice):
        def write_to_Short(self, stream: Report) -> bool | None:
            return stream.write_line("refund")

    assert said(Report(), Invoice()) == ["invoice", "42.00"]
    assert said(Short(), Invoice()) == ["invoice", "42.00"]
    assert said(Report(), Refund()) == ["invoice", "42.00"]
    assert said(Short(), Refund()) == ["refund"]
    invoice = Invoice()
    assert said(Other(), invoice) == [invoice]


def test_only_the_class_says_so_and_not_the_object():
    class Report(Stream):
        pass

    class Anything:
        def __getattr__(self, name: str) -> Callable[..., object]:
            raise AssertionError(name)

    item = Anything()
    vars(item)["write_to_Report"] = print
    assert said(Report(), item) == [item]
    stage = Report()
    stage.write_Anything = print
    assert said(stage, item) == [item]


def test_a_hook_that_is_no_method():
    class Report(Stream):
        pass

    class Wrong:
        write_to_Report = property(print)

    with pytest.raises(TypeError) as caught:
        said(Report(), Wrong())
    assert (
        str(caught.value)
        == "Wrong.write_to_Report is a property: it must be a method, with the stage"
    )


def test_a_method_of_a_stage_may_stop():
    class First(Stream):
        def write_str(self, text: str) -> bool | None:
            self.emit(text)
            return False

    source = iter([1, "a", 2])
    assert list(source | First()) == [1, "a"]
    assert next(source) == 2


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda: Stream.on(int), "on() registers with a subclass of Stream, not with all of them"),
        (lambda: type("Some", (Stream,), {}).on(3), "on() takes classes, not int"),
        (lambda: type("Some", (Stream,), {}).on("int"), "on() takes classes, not str"),
    ],
)
def test_what_cannot_be_registered(register: Callable[[], object], message: str):
    with pytest.raises(TypeError) as caught:
        register()
    assert str(caught.value) == message


def test_the_cache_does_not_hold_classes():
    class Kinds(Stream):
        def write_Known(self, obj: Any) -> bool | None:
            return self.emit("known")

    def make() -> list[weakref.ref[type]]:
        class Known:
            pass

        class Hooked:
            def write_to_Kinds(self, stream: Kinds) -> bool | None:
                assert isinstance(self, __class__)
                return stream.emit("hooked")

        stage = Kinds()
        assert list([Known(), Hooked(), Known()] | stage) == ["known", "hooked", "known"]
        assert len(Kinds._found) == 2
        return [weakref.ref(Known), weakref.ref(Hooked)]

    kept = make()
    gc.collect()
    assert [each() for each in kept] == [None, None]
    assert len(Kinds._found) == 0
