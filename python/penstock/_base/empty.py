"""The warning of a document without records."""


class EmptyWarning(UserWarning):
    """A document has nothing where `at=` says that its records are: perhaps the path is misspelt.

    `empty="allow"` says that a document may be like that, and `empty="error"` makes it an error. A
    list that is there and has no elements is no reason to warn.
    """

    __module__ = "penstock"
