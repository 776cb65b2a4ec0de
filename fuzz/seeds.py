"""Write the seed corpora, `corpus/<target>/`, from the few documents below.

They are small on purpose: each shows the fuzzer one thing that it would need long to find. Run it
after a change here, and commit what it writes; what a campaign finds does not belong there.
"""

import bz2
import datetime as dt
import gzip
import lzma
import plistlib
import shutil
import struct
import zlib
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


DOCUMENTS = {
    "empty": "",
    "scalars": '[null, true, false, 0, -0, 12, -3.25e+2, 1E400, 9223372036854775808, "a"]',
    "nested": '{"a": {"b": [[], {}, [1, {"c": null}]]}, "d": "e"}',
    "escapes": r'["\"\\\/\b\f\n\r\t", "\u00e9\u6c34\ud834\udd1e", "\\\\"]',
    "scripts": '{"é": "水", "𝄞": "\u2028 naïve", "": "\x7f"}',
    "long": '{"' + "k" * 40 + '": "' + "x" * 70 + '", "n": 123456789012345678901234567890}',
    "spaced": ' \n{\t"a" :\r\n [ 1 ,\n    2 ] }\n',
    "repeated": '{"a": 1, "a": 2, "b": {"a": 3}}',
    "unclosed": '[{"a": "b',
    "surrogate": r'["\ud834x"]',
    "comma": "[1,]",
    "zero": "[01]",
}

# Maps with keys in common, in other orders, again, and none.
SHAPES = '[{"a": 1, "b": {"a": [{}]}}, {"b": 2, "a": 3, "b": 4}, {"a": {"c": 1.50}}, {}]'

LINES = {
    "good": '{"a": 1}\n[2]\n\n"x"\r\n3',
    "bad": '1\n{"a":\n2 3\n"\\\n"\\q" 4\n[5]\n',
    "sequence": '\x1e{"a": 1}\n\x1e\x1e2\n\x1etru\x1e"x"\x1e3',
}

# Where records are looked for, and in what.
PATHS = {
    "default": ("", '[{"a": 1}, 2, [3]]'),
    "one": ("", '{"a": 1}'),
    "key": ("a/b", '{"x": 1, "a": {"b": {"c": 2}}}'),
    "star": ("*/a", '[{"a": 1}, {"a": [2]}, 3]'),
    "index": ("items/1", '{"items": [0, {"a": 1}, 2], "1": 3}'),
    "anywhere": ("//a", '{"a": {"a": 1}, "b": [{"a": 2}]}'),
    "deep": ("//a/*/b", '{"a": {"a": {"b": 1}, "c": {"b": {"a": {"x": {"b": 2}}}}}}'),
    "escaped": ("~1~2~0/@x", '{"/*~": {"@x": 1}}'),
}

XML = {
    "empty": "<a/>",
    "mixed": "<?xml version='1.0'?>\n<a b='1' c=\"&lt;\n&#10;\">x&amp;<b>y</b><!-- c --><?p d?>"
    "\r\n</a >",
    "names": '<a xmlns="urn:a" xmlns:p="urn:p"><p:b p:c="1" c="2"/>'
    '<b xmlns=""/><é xml:lang="x"/></a>',
    "cdata": "<a><![CDATA[<b>&amp;]]]]>]]&gt;<![CDATA[]]></a>",
    "entities": "<!DOCTYPE a [<!ENTITY e 'x<b>&f;</b>'><!ENTITY f '&#38;#60;'>"
    "<!ENTITY % p '<!--c-->'>%p;]>"
    "<a c='&f;'>&e;</a>",
    "defaults": "<!DOCTYPE a [<!ATTLIST a b CDATA 'd' c NMTOKENS #IMPLIED><!ELEMENT a (b|c)*>"
    "<!NOTATION n SYSTEM 's'>]><a c=' 1  2 '/>",
    "external": "<!DOCTYPE a PUBLIC 'p' 's' [<!ENTITY e SYSTEM 'f'>"
    "<!ENTITY u SYSTEM 'g' NDATA n>]><a>&e;</a>",
    "cyclic": "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>",
    "long": "<a " + "b" * 40 + "='" + "x" * 70 + "'>" + "y" * 70 + "</a>",
    "twice": "<a b='1' b='2'/>",
    "unbound": "<p:a/>",
    "unclosed": "<a><b>text",
    "repaired": "<a>&x & \x01 &#xD83D;&#xDE00;</a>junk",
    "subset": "<!DOCTYPE a [<!ELEMENT a ANY <!ATTLIST ]><a/>",
}

CSV = {
    "plain": 'a,b\n1,"x ""y""\nz"\n\n2,\n"é",\n',
    "returns": "a,b\r1,2\r\n3,4\n5,6\r7,8",
    "short": "a,b\n1\n2,3,4\n5,6\n",
    "quotes": 'a,b\n7,8"\n"9"x,\n\0,1\n6,"7\n8,9\n',
    "long": 'a,b\n0123456789,0123456789\n3,"4\n5",6\n7,8\n',
    "escapes": "a;b\n'x\\'y';\\;z\n# comment\n 1 ; 2 \n",
    "bars": "skipped\na||b\n1||2|3\n",
    "joined": "a,\nx,y\n1,2\n",
    "one": 'a\n\n1\n""\n\n',
}

TEXT = '{"id": 1, "name": "é水𝄞"}\n'


def zstd(data: bytes) -> bytes:
    """Return a frame of one block that is not compressed."""
    header = b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)])
    return header + (len(data) << 3 | 1).to_bytes(3, "little") + data


def sources() -> dict[str, bytes]:
    """Return one source for each compression and encoding, after the two bytes that choose."""
    plain = TEXT.encode()
    inferred, whole = b"\x00", b"\x3f"
    packed = {
        "plain": plain,
        "gzip": gzip.compress(plain, mtime=0),
        "gzip-members": gzip.compress(plain, mtime=0) + gzip.compress(b"2", mtime=0) + bytes(3),
        "bzip2": bz2.compress(plain) + bz2.compress(b"2"),
        "xz": lzma.compress(plain, preset=0) + bytes(4),
        "zstd": zstd(plain) + zstd(b"2"),
        "zip": b"PK\x03\x04" + bytes(30),
        "cut": gzip.compress(plain, mtime=0)[:-9],
        "mark": b"\xef\xbb\xbf" + plain,
        "foreign": TEXT.encode("utf-16"),
    }
    encoded = {
        "utf-16": (2, TEXT.encode("utf-16")),
        "utf-16-le": (3, TEXT.encode("utf-16-le")),
        "utf-32": (4, TEXT.encode("utf-32")),
        "utf-32-be": (5, TEXT.encode("utf-32-be")),
        "latin-1": (6, "naïve".encode("latin-1")),
        "windows-1252": (7, "naïve €".encode("windows-1252")),
        "shift-jis": (8, "水".encode("shift-jis")),
    }
    found = {name: inferred + whole + data for name, data in packed.items()}
    return found | {name: bytes([n]) + whole + data for name, (n, data) in encoded.items()}


def block(data: bytes) -> bytes:
    """Return a block of BGZF."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = deflate.compress(data) + deflate.flush()
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0"
    end = struct.pack("<II", zlib.crc32(data), len(data))
    return head + struct.pack("<H", len(packed) + 25) + packed + end


def frames() -> dict[str, bytes]:
    """Return files with pieces, after the length of an index, and that."""
    first, second = TEXT.encode(), b"2" * 200
    blocks = block(first) + block(second) + block(b"")
    index = struct.pack("<QQQ", 1, len(block(first)), len(first))
    packed = [zstd(first), zstd(second)]
    table = struct.pack("<II", 0x184D2A5E, 25)
    for frame, text in zip(packed, (first, second), strict=True):
        table += struct.pack("<II", len(frame), len(text))
    table += struct.pack("<IBI", 2, 0, 0x8F92EAB1)
    streams = lzma.compress(first, preset=0) + bytes(4) + lzma.compress(second, preset=0)
    return {
        "blocks": b"\0" + blocks,
        "index": bytes([len(index)]) + index + blocks,
        "frames": b"\0" + b"".join(packed),
        "skippable": b"\0" + b"\x50\x2a\x4d\x18\x01\0\0\0x".join(packed),
        "table": b"\0" + b"".join(packed) + table,
        "streams": b"\0" + streams,
    }


def parted() -> dict[str, bytes]:
    """Return a text of each form after the bytes that choose: the form, and where it is cut."""
    cuts = bytes([5, 20, 40, 60, 90, 150])
    elements = "<l><a><item n='1'/>x<item><!-- <item> --></item></a><b><item/></b></l>"
    texts = {
        "lines": (0, LINES["good"]),
        "bad-lines": (0, LINES["bad"]),
        "array": (1, '[{"a": 1}, [2], "]", {"a": "é},{"}, null]'),
        "inside": (2, '{"a": [{"b": 1}, {"b": 2}], "c": 3, "d": [[4], [5]]}'),
        "rows": (3, 'a,b\n1,"x\n5,6"\n3,4\n"",5\n6,7\n'),
        "rows-open": (3, 'a,b\n1,"x\n\x00#\n"",5\n6,7\n'),
        "returns": (3, 'a,b\r1,"x\r5,6"\r3,4\r'),
        "elements": (4, elements.replace("l>", "list>")),
        "elements-brackets": (
            4,
            "<list><a><item n='1'/>x]<item>1</item></a><b><item/>]]<item/></b></list>",
        ),
        "unclosed": (4, "<list><m><item/><item>"),
    }
    found = {name: bytes([form]) + cuts + text.encode() for name, (form, text) in texts.items()}
    few = bytes([1, 2, 3, 4, 5, 6])
    array = [b"\xa4\1\1\2\1", b"\x10\7", b"\xa2\1\1"]
    members = [b"\xd2\1\2\3\4", b"Qa", b"Qb", b"\xa3\5\5\0", b"\xa2\5\x63", b"\x10\7"]
    for name, form, objects in [
        ("items", 192, array),
        ("nested", 194, array),
        ("members", 194, members),
    ]:
        listed = b"".join(bytes([len(made)]) + made for made in objects)
        found[f"plist-{name}"] = bytes([form]) + few + listed
    return found


def conversions() -> dict[str, bytes]:
    """Return one source for each pair of formats, after the three bytes that choose."""
    elements = '["#document",["#comment","c"],["a",{"b":"1"},"x",["p:c",{"xmlns:p":"u"}]]]'
    json, lines, xml = 0, 1, 2
    found = {}
    for to in range(3):
        for name in ("nested", "escapes", "repeated", "unclosed"):
            found[f"{name}-{to}"] = bytes([json + 3 * to, 0, 3]) + DOCUMENTS[name].encode()
        for name in ("good", "bad"):
            found[f"{name}-{to}"] = bytes([lines + 3 * to, 4, 3]) + LINES[name].encode()
        for name in ("mixed", "names", "cdata", "entities", "defaults", "unclosed"):
            for form in range(2):
                head = bytes([xml + 3 * to, form, 3])
                found[f"xml-{name}-{to}-{form}"] = head + XML[name].encode()
    found["elements"] = bytes([json + 3 * xml, 1, 3]) + elements.encode()
    found["records"] = bytes([xml + 3 * lines, 1 | 2 << 3, 3]) + XML["names"].encode()
    return found


def tables() -> dict[str, bytes]:
    """Return each text after the bytes that choose its dialect, and bytes that are no text."""
    # How long the pieces are, whether there are pauses, whether rows are short; then the delimiter,
    # the terminator, the header, the quote, the comment, and whether there are escapes, white
    # space to trim, and a line to skip.
    usual = bytes([6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    chosen = {
        "returns": bytes([2, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0]),
        "long": bytes([3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        "escapes": bytes([4, 0, 0, 1, 0, 0, 1, 2, 1, 1, 0]),
        "bars": bytes([5, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1]),
        "joined": bytes([1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
        "one": bytes([1, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0]),
    }
    found = {name: chosen.get(name, usual) + text.encode() for name, text in CSV.items()}
    return found | {"no-text": usual + b'a,b\n1,2\n3,\xff4\n5,6\n"7\n\xfe",8\n9,0\n'}


def property_lists() -> dict[str, bytes]:
    """Return binary property lists after the four bytes that choose, some of them as objects."""
    shared = [{"name": "Vila"}] * 2
    day = dt.datetime.fromisoformat("2026-11-02")
    values: dict[str, object] = {
        "shared": [*shared, "Vila"],
        "scalars": [True, False, 7, -7, 300, 70000, 1 << 40, 1 << 63, 0.5, b"\0\xff", day],
        "texts": ["", "a", "é水𝄞", "x" * 70, plistlib.UID(7), {"clé": {}, "a": []}],
        "deep": [[[[{"a": [{"b": 1}]}]]]],
    }
    files = {name: plistlib.dumps(value, fmt=plistlib.FMT_BINARY) for name, value in values.items()}
    objects = {
        "cycle": [b"\xa2\x01\x01", b"\xd1\x02\x00", b"\x51a"],
        "sets": [b"\xb2\x01\x02", b"\xc1\x03", b"\x00", b"\x80\x07"],
        "bomb": [*(b"\xa4" + bytes([n + 1]) * 4 for n in range(9)), b"\x09"],
        "wide": [
            b"\xaf\x10\x04\x01\x02\x03\x04",
            b"\x14" + bytes(7) + b"\1" + bytes(8),
            b"\x5f\x11\x00\x02ab",
            b"\x62\xd8\x34\xdd\x1e",
            b"\x61\xdd\x1e",
        ],
    }
    found = {}
    for n, mood in enumerate((b"\0\0\0", b"\1\x40\x10", b"\2\x9b\x10")):
        found |= {f"{name}-{n}": b"\0" + mood + data for name, data in files.items()}
        for name, parts in objects.items():
            data = b"".join(bytes([len(part)]) + part for part in parts)
            found[f"{name}-{n}"] = b"\1" + mood + data
    return found


def corpora() -> dict[str, dict[str, bytes]]:
    """Return the inputs of each target, by name."""
    documents = {name: text.encode() for name, text in DOCUMENTS.items()}
    lines = {name: text.encode() for name, text in LINES.items()}
    framed = {
        f"{name}-{n}": bytes([1, 2, 3, 0, 5, 1, n, 2, 5, 7, 0, 0, 0, 0]) + data
        for n in range(4)
        for name, data in (documents | lines).items()
        if (n == 0) == (name in documents)
    }
    framed |= {
        f"{name}-looking": bytes([3, 2, 0, 1, 0, 0, 0, 0, 0, 0, looks, ahead, 0, 0])
        + documents[name]
        for name, looks, ahead in (("nested", 1, 0), ("repeated", 5, 0), ("spaced", 3, 9))
    }
    xml = {name: text.encode() for name, text in XML.items()}
    return {
        "json_reader": documents,
        "document": {name: b"\x15" + data for name, data in documents.items()}
        | {"shapes": b"\x15" + SHAPES.encode()},
        "any_chunking": framed,
        "ndjson": {name: b"\x21" + data for name, data in (lines | documents).items()},
        "csv_reader": tables(),
        "csv_any_chunking": tables(),
        "plist_markup": {name: bytes(10) + text.encode() for name, text in MARKUP.items()},
        "plist_text": {name: bytes(12) + text.encode() for name, text in PLISTS.items()},
        "xml_reader": xml,
        "xml_any_chunking": {
            f"{name}-{n}": bytes(
                [1, 2, 3, 0, 5, 1, n, 2 * n, 3 * n, 31 * (n % 2), 0, 0, n, 1, 0, 0]
            )
            + data
            for name, data in xml.items()
            for n in range(3)
        },
        "select": {name: f"{path}\n{text}".encode() for name, (path, text) in PATHS.items()},
        "kernels": {name: b"\x05\x01" + data for name, data in documents.items()}
        | {f"xml-{name}": b"\x05\x01" + data for name, data in xml.items()},
        "source": sources(),
        "frames": frames(),
        "splits": parted(),
        "convert": conversions(),
        "plist_binary": property_lists(),
    }


# Property lists as XML.
MARKUP = {
    "everything": "<?xml version='1.0'?><!DOCTYPE plist [<!ENTITY e '<true/>'>]>"
    "<plist version='1.0'><dict><key>a&amp;b</key>"
    "<string>\u00e9<![CDATA[<]]></string><key>i</key><integer>-0x1F</integer>"
    "<key>r</key><real>1.5e3</real><key/><array>&e;<false/></array><key>d</key><data>\n\tAA==</data>"
    "<key>t</key><date>2004-10-26T10:33:33Z</date></dict></plist>",
    "uids": "<array><dict><key>CF$UID</key><integer>7</integer></dict><dict><key>CF$UID</key>"
    "<integer>7</integer><key>b</key><true/></dict><dict><key>CF$UID</key><array/></dict></array>",
    "nested": "<array><dict><key>a</key><dict/></dict><array><array/></array>\r\n<!-- c -->"
    "</array>",
    "empty": "<plist/>",
    "stray": "<dict> &#32;\r\n x</dict>",
    "large": "<array><integer>18446744073709551616</integer><real>1e400</real></array>",
    "declared": "<!DOCTYPE plist [<!ENTITY e '<dict><key>CF$UID</key><string>7</string></dict>'>]>"
    "<array>&e;</array>",
}


# Property lists as text.
PLISTS = {
    "empty": "",
    "blank": " // c\n/* d */ ",
    "dictionary": "{ a = b; \"c d\" = 'e'; f; g = {}; h = { i = j } }",
    "array": '(a, "b", ("", ), ())',
    "strings": '"a" = "b";\n/* c */ "d";',
    "alone": '"a"',
    "escapes": r'"\a\b\f\n\r\t\v\"\\\q\7\341\U00e9\u6c34\Ud834\Udd1e"',
    "data": "(<0fbd77 1c>, <[Zm9v Zg==]>)",
    "typed": '(<*I5>, <*I"-9223372036854775809">, <*R1.5>, <*BY>, <*BN>, '
    "<*D2001-01-01 00:00:00 +0100>)",
    "bare": "{ a/b = http://c.d/e?f; /* g */ h+i = $j; }",
    "json": '{"a": 1}',
    "xml": "<plist>",
    "unclosed": '{ a = ("b',
    "separators": "(a,\u2028\u2029// b\u2028)",
}


def main() -> None:
    """Write all of them anew."""
    shutil.rmtree(CORPUS, ignore_errors=True)
    for target, inputs in corpora().items():
        folder = CORPUS / target
        folder.mkdir(parents=True)
        for name, data in inputs.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
