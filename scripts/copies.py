"""How much machine code the extension is, and how often each grammar stands in it.

    make copies
    python scripts/copies.py path/to/_rust.so

The grammars are generic over the sink and the instruction set, and the compiler makes a copy for
each pair in use. Much of a build's time goes into these copies, so one more of them should be a
decision: see "Why is a grammar compiled so few times?" in docs/internals/design/protocol.md.

A copy of a grammar is recognised by an error message that only the grammar can give: each reference
from the code to the text of the message is one copy. That needs no debug information, and no names,
which the optimiser may have inlined. It works on x86-64 only. Property lists that are no text are
recognised by the name of a function that is too large to be inlined. CSV is not counted: it has a
shared copy, and one of the builder of objects.
"""

import argparse
import importlib.util
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A message of each grammar that occurs once in its source, in code that is compiled with and
# without events.
MESSAGES = {
    "json": b"the input ends where a value is expected",
    "xml": b"expected '>' after ']'",
    "plist, text": b"expected '=' or ';' after the key",
}
NAMES = {
    "plist, XML": "plist::markup::translate::Translator$LT$S$GT$::flush",
    "plist, binary": "plist::binary::reader::Reader::read",
}
# Looking ahead is compiled once. Its name in symbols of the older scheme, and of the newer one.
LOOKING = ("Reader::look", "6Reader4look")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the file, and where it is in memory when the extension runs."""

    name: str
    kind: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the symbol table."""

    address: int
    size: int
    name: str


class Extension:
    """An ELF file of 64 bits: the parts that are needed here."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path}: not a little-endian ELF file of 64 bits")
        (self.machine,) = struct.unpack_from("<H", self.data, 18)
        self.sections = list(self._sections())

    def _sections(self) -> Iterator[Section]:
        (start,) = struct.unpack_from("<Q", self.data, 40)
        width, count, names = struct.unpack_from("<HHH", self.data, 58)
        rows = [struct.unpack_from("<IIQQQQI", self.data, start + i * width) for i in range(count)]
        for name, kind, _, address, offset, size, link in rows:
            yield Section(self._text(rows[names][4] + name), kind, address, offset, size, link)

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def section(self, name: str) -> Section:
        """The section of this name."""
        return next(section for section in self.sections if section.name == name)

    def bytes_of(self, section: Section) -> bytes:
        """The bytes of a section."""
        return self.data[section.offset : section.offset + section.size]

    def functions(self) -> list[Function]:
        """All functions that have a name, in the order of their addresses."""
        found: list[Function] = []
        for table in self.sections:
            if table.kind != 2:
                continue
            names = self.sections[table.link].offset
            for at in range(table.offset, table.offset + table.size, 24):
                name, info, _, _, address, size = struct.unpack_from("<IBBHQQ", self.data, at)
                if info & 15 == 2 and size:
                    found.append(Function(address, size, readable(self._text(names + name))))
        return sorted(set(found), key=lambda function: function.address)

    def references(self, text: bytes) -> list[int]:
        """The addresses in the code that refer to this text."""
        code = self.section(".text")
        where = self.data.find(text)
        home = next((s for s in self.sections if s.offset <= where < s.offset + s.size), None)
        if where < 0 or home is None:
            return []
        target = where - home.offset + home.address
        body = self.bytes_of(code)
        found: list[int] = []
        # `lea register, [rip + distance]`: the opcode, the register, the distance from the end of
        # the instruction.
        at = body.find(0x8D)
        while 0 <= at < len(body) - 6:
            if body[at + 1] & 0xC7 == 0x05:
                (distance,) = struct.unpack_from("<i", body, at + 2)
                if code.address + at + 6 + distance == target:
                    found.append(code.address + at)
            at = body.find(0x8D, at + 1)
        return found


def readable(symbol: str) -> str:
    """A Rust symbol of the older scheme as a path, without its hash; any other as it is."""
    if not symbol.startswith("_ZN"):
        return symbol
    parts: list[str] = []
    rest = symbol[3:]
    while rest and rest[0].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        end = digits + int(rest[:digits])
        parts.append(rest[digits:end])
        rest = rest[end:]
    return "::".join(parts[:-1])


def around(functions: list[Function], address: int) -> Function | None:
    """The function that contains an address."""
    inside = (f for f in functions if f.address <= address < f.address + f.size)
    return next(inside, None)


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument(
        "extension", type=Path, nargs="?", help="the one that is installed if left out"
    )
    arguments.add_argument("--list", action="store_true", help="name each function that has a copy")
    given = arguments.parse_args()
    path: Path | None = given.extension
    if path is None:
        spec = importlib.util.find_spec("penstock._rust")
        if spec is None or spec.origin is None:
            sys.exit("penstock is not installed: make build")
        path = Path(spec.origin)
    extension = Extension(path)
    functions = extension.functions()
    code = extension.section(".text").size
    print(f"code (.text){code:>35,} bytes")
    for format_, message in MESSAGES.items():
        references = extension.references(message)
        homes = [home for at in references if (home := around(functions, at))]
        size = sum(home.size for home in set(homes))
        print(f"copies of the grammar of {format_:<14}{len(references):>8}", end="")
        print(f"   in {len(set(homes))} functions, {size:,} bytes ({size / code:.0%})")
        for home in sorted(set(homes), key=lambda home: -home.size) if given.list else ():
            print(f"  {home.size:>10,}  {homes.count(home)}  {home.name}")
        if not references:
            sys.exit(f"{path}: the grammar of {format_} has no such message: {message.decode()}")
    for format_, name in NAMES.items():
        sizes = [found.size for found in functions if found.name.endswith(name)]
        print(f"copies of the grammar of {format_:<14}{len(sizes):>8}   {sum(sizes):,} bytes")
    looks = [found for found in functions if any(name in found.name for name in LOOKING)]
    print(f"copies of looking ahead{len(looks):>24}", end="")
    print(f"   {sum(found.size for found in looks):,} bytes")


if __name__ == "__main__":
    main()
