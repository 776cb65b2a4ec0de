"""The warning of a file that was left out."""


class BrokenFileWarning(UserWarning):
    """One of several files cannot be read to its end, and `errors="skip"` goes on with the next.

    It has the text of the error, which names the file. The rows before the fault are there.
    """

    __module__ = "penstock"
