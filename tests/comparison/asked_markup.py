"""What every writer of XML is asked for: text that must not become markup, and names that are none."""

from asking_markup import Question, Tree

SPECIAL = "<b>&amp;\"']]>"
COMMENT = Tree(comment="a")
QUESTIONS = [
    Question("markup in text", Tree(text=SPECIAL)),
    Question("markup in an attribute", Tree(attributes={"a": SPECIAL})),
    Question("a carriage return in text", Tree(text="a\rb\r\nc")),
    Question(
        "tab, line feed and carriage return in an attribute", Tree(attributes={"a": "\t\n\r "})
    ),
    Question("white space around text", Tree(text="\n  a  ")),
    Question("characters beyond U+FFFF", Tree(text="\U0001f600\x7f\x85\u2028")),
    Question("a name with a namespace", Tree("{urn:a}r", {"{urn:b}x": "1"})),
    Question(
        "text beside an element, indented", Tree(text="a", children=(Tree("b"),)), indent=True
    ),
    Question(
        "elements that repeat, indented",
        Tree(children=(Tree("b", text=" x "), Tree("b"))),
        indent=True,
    ),
    Question("NUL in text", Tree(text="a\x00b"), refused=True),
    Question("a control character in text", Tree(text="a\x0bb"), refused=True),
    Question(
        "a control character in an attribute", Tree(attributes={"a": "\x1b[0m"}), refused=True
    ),
    Question("U+FFFE in text", Tree(text="a\ufffe"), refused=True),
    Question("half a surrogate pair", Tree(text="\ud800"), refused=True),
    Question("a name with a space", Tree("a b"), refused=True),
    Question("a name that begins with a digit", Tree("1a"), refused=True),
    Question("an empty name", Tree(""), refused=True),
    Question("markup in a name", Tree(children=(Tree("a><evil/><a"),)), refused=True),
    Question("markup in the name of an attribute", Tree(attributes={'a="1" b': "2"}), refused=True),
    Question("a prefix that is not declared", Tree("p:a"), refused=True),
]

COMMENTS = [
    Question("a comment", COMMENT),
    Question(
        "a comment that ends early", Tree(comment="a--><evil/><!--b"), refused=True, sound=COMMENT
    ),
    Question("a comment with `--`", Tree(comment="a--b"), refused=True, sound=COMMENT),
]
