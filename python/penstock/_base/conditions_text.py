"""Conditions as text, such as `population > 5e6 and country in ("CH", "AT")`.

The grammar is that of Python's expressions, of which `ast` parses the text. Nothing of it is ever
evaluated: a list of nodes says what there is, and all else is refused, with its place.
"""

from __future__ import annotations

import ast

from penstock._base.conditions import RESERVED, Condition, Field

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    # How it is written, and how with its sides exchanged.
    ast.Eq: ("==", "=="),
    ast.NotEq: ("!=", "!="),
    ast.Lt: ("<", ">"),
    ast.LtE: ("<=", ">="),
    ast.Gt: (">", "<"),
    ast.GtE: (">=", "<="),
}
_TESTS = frozenset(
    {
        *("startswith", "endswith", "contains", "matches"),
        *("between", "isin", "is_none", "exists"),
    }
)
_MOST = 100_000
"""How many characters a text may have. Its parser recurses, and so do those below."""
_DEEPEST = 100


def parsed(text: str) -> Condition:
    """Parse a condition.

    Raises:
        ValueError: It is none; the message shows where.
    """
    if not text.strip():
        raise ValueError("where: the text of a condition is empty")
    if len(text) > _MOST:
        raise ValueError(f"where: a condition has at most {_MOST:,} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(_of_syntax(error, text.strip())) from None
    except (MemoryError, RecursionError, ValueError) as error:
        # The parser of an interpreter says so of a text that is too deep or has a null.
        raise ValueError(f"where: this is no condition: {str(error) or 'it is too deep'}") from None
    return _Reader(text.strip()).condition(tree.body, 0)


def _of_syntax(error: SyntaxError, text: str) -> str:
    """Return what is wrong with a text that is no expression."""
    lines = text.splitlines()
    number = min(error.lineno or 1, len(lines))
    line = lines[number - 1]
    column = min(max((error.offset or 1) - 1, 0), len(line))
    if line[column : column + 1] == "=" != line[column + 1 : column + 2]:
        return _marked("where: write '==' to compare", line, column)
    if column == 0 and error.offset in {None, 0}:
        column = len(line)
    return _marked("where: invalid syntax", line, column)


def _marked(message: str, line: str, column: int) -> str:
    return f"{message}\n  {line}\n  {' ' * column}^"


class _Reader:
    """Makes conditions of the nodes of one text."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines() or [""]

    def _refused(self, node: ast.expr, message: str) -> ValueError:
        line = self._lines[node.lineno - 1]
        # `ast` counts bytes.
        column = len(line.encode()[: node.col_offset].decode(errors="replace"))
        return ValueError(_marked(f"where: {message}", line, column))

    def condition(self, node: ast.expr, depth: int) -> Condition:
        """Make a condition of a node."""
        if depth > _DEEPEST:
            raise self._refused(
                node, f"more than {_DEEPEST} brackets or words are within each other"
            )
        if isinstance(node, ast.BoolOp):
            parts = [self.condition(part, depth + 1) for part in node.values]
            joined = parts[0]
            for part in parts[1:]:
                joined = joined & part if isinstance(node.op, ast.And) else joined | part
            return joined
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.condition(node.operand, depth + 1)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Call) and (made := self._test(node)) is not None:
            return made
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            # A field alone asks whether it is true.
            return self._named(node) == True  # noqa: E712 - a condition
        raise self._refused(node, "this is no condition, such as 'size > 3'")

    def _comparison(self, node: ast.Compare) -> Condition:
        sides = [node.left, *node.comparators]
        made: Condition | None = None
        for left, sign, right in zip(sides, node.ops, sides[1:], strict=False):
            one = self._compared(left, sign, right)
            made = one if made is None else made & one
        if made is None:
            raise self._refused(node, "there is nothing to compare")
        return made

    def _compared(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Condition:
        if isinstance(sign, (ast.Is, ast.IsNot)):
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise self._refused(right, "'is' compares with None only: use '=='")
            field = self._named(left)
            return field.is_none() if isinstance(sign, ast.Is) else field != None  # noqa: E711 - a condition
        if isinstance(sign, (ast.In, ast.NotIn)):
            found = self._contained(left, right)
            return found if isinstance(sign, ast.In) else ~found
        here, there = _COMPARISONS[type(sign)]
        if self._is_field(left):
            return self._made(left, here, right)
        if self._is_field(right):
            return self._made(right, there, left)
        if isinstance(left, ast.Call):
            self._named(left)
        raise self._refused(left, "a comparison has a field on one side, and a value on the other")

    def _made(self, field: ast.expr, sign: str, value: ast.expr) -> Condition:
        if self._is_field(value):
            name = (
                f": write {value.id!r} in quotes if it is text"
                if isinstance(value, ast.Name)
                else ""
            )
            raise self._refused(
                value, f"a field is compared with a value, and not with another field{name}"
            )
        named, literal = self._named(field), self._literal(value)
        methods = {"==": "__eq__", "!=": "__ne__", "<": "__lt__"}
        methods |= {"<=": "__le__", ">": "__gt__", ">=": "__ge__"}
        return self._called(value, getattr(named, methods[sign]), literal)

    def _contained(self, left: ast.expr, right: ast.expr) -> Condition:
        if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
            values = [self._literal(item) for item in right.elts]
            return self._called(right, self._named(left).isin, *values)
        if isinstance(left, ast.Constant) and isinstance(left.value, str):
            return self._named(right).contains(left.value)
        raise self._refused(right, "'in' has values in brackets behind it, as in 'size in (3, 4)'")

    def _called(self, node: ast.expr, method: Any, *values: object) -> Condition:
        """Call a method of a field, with the place of what it refuses."""
        try:
            made: Condition = method(*values)
        except (TypeError, ValueError) as error:
            raise self._refused(node, str(error)) from None
        return made

    def _test(self, node: ast.Call) -> Condition | None:
        """A method of a field, such as `name.startswith("A")`, if it is one."""
        of = node.func
        if isinstance(of, ast.Name) and of.id == "exists" and len(node.args) == 1:
            return self._named(node.args[0]).exists()
        if not (isinstance(of, ast.Attribute) and of.attr in _TESTS):
            return None
        if node.keywords:
            raise self._refused(node, f"{of.attr} takes no named arguments")
        values = [self._literal(value) for value in node.args]
        return self._called(node, getattr(self._named(of.value), of.attr), *values)

    def _is_field(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            of = node.func
            if isinstance(of, ast.Attribute):
                return of.attr in {"any", "all"}
            return isinstance(of, ast.Name) and of.id in {"field", "any", "all"}
        return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))

    def _named(self, node: ast.expr) -> Field:
        """Make a field of a name, a path of names, or a call of `field`, `any` or `all`."""
        if isinstance(node, ast.Call):
            of, values = node.func, node.args
            if isinstance(of, ast.Attribute) and of.attr in {"any", "all"} and not values:
                field = self._named(of.value)
                return field.any() if of.attr == "any" else field.all()
            if isinstance(of, ast.Name) and len(values) == 1 and not node.keywords:
                (value,) = values
                if of.id in {"any", "all"}:
                    field = self._named(value)
                    return field.any() if of.id == "any" else field.all()
                is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
                if of.id == "field" and is_text:
                    return Field(value.value)  # type: ignore[attr-defined]  # it is text
            raise self._refused(node, "there is no such function in a condition")
        steps: list[str] = []
        at = node
        while isinstance(at, ast.Attribute):
            steps.insert(0, at.attr)
            at = at.value
        if not isinstance(at, ast.Name):
            raise self._refused(at, "this is no field: write its name, or field('its path')")
        if at.id in RESERVED:
            raise self._refused(at, f"{at.id!r} is a function: write field({at.id!r}) for a field")
        return Field("/".join([at.id, *steps]))

    def _literal(self, node: ast.expr) -> object:
        """Make a value of a node."""
        if isinstance(node, ast.Constant):
            kind = type(node.value)
            if node.value is None or kind in {bool, int, float, str}:
                return node.value
            raise self._refused(node, f"a condition has no values of {kind.__name__!r}")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            value = self._literal(node.operand)
            if type(value) in {int, float}:
                return -value if isinstance(node.op, ast.USub) else value  # type: ignore[operator]  # a number
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            values = [self._literal(value) for value in node.args]
            return self._made_by(node, node.func.id, values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            raise self._refused(node, "write 'and' in place of '&', and 'or' in place of '|'")
        if isinstance(node, ast.Name):
            raise self._refused(
                node, f"this must be a value: write {node.id!r} in quotes if it is text"
            )
        raise self._refused(node, "this is no value, such as 3, 'CH' or date('2026-01-31')")

    def _made_by(self, node: ast.Call, name: str, values: list[Any]) -> object:
        """Make a value of a call such as `date("2026-01-31")`."""
        import datetime as dt  # noqa: PLC0415 - few texts have one
        import decimal  # noqa: PLC0415 - as above
        import uuid  # noqa: PLC0415 - as above

        makers: dict[str, Any] = {
            "date": dt.date.fromisoformat,
            "datetime": dt.datetime.fromisoformat,
            "time": dt.time.fromisoformat,
            "timedelta": dt.timedelta,
            "UUID": uuid.UUID,
            "Decimal": decimal.Decimal,
            "float": float,
        }
        if name not in makers:
            raise self._refused(node, f"there is no function {name!r} in a condition")
        try:
            return makers[name](*values)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise self._refused(node, f"{name}: {error}") from None
