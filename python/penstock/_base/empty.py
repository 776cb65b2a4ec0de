"""The warnings of what a document has, and nobody gets."""


class EmptyWarning(UserWarning):
    """A document has nothing where `at=` says that its records are: perhaps the path is misspelt.

    `empty="allow"` says that a document may be like that, and `empty="error"` makes it an error. A
    list that is there and has no elements is no reason to warn.
    """

    __module__ = "penstock"


class MixedContentWarning(UserWarning):
    """A field with `at("text()")` leaves out the text of an element inside of its element.

    `at("text()")` is the element's own text: of `In <i>vivo</i> only`, `In  only`. Say
    `at("string()")` for all text, or give the other element a field. A reader, a decoder or a call
    warns once.
    """

    __module__ = "penstock"
