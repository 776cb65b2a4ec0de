"""The code of classes that read a file: `penstock.infer`.

The extension reads all of the file and collects evidence (`core/evidence`). This room decides what
classes read it, and writes their code.

| file | holds |
|---|---|
| `verb.py` | `penstock.infer` |
| `evidence.py` | what was seen at each place |
| `settle.py` | unions, open keys and recursive classes: evidence that belongs together is joined |
| `decide.py` | the types of fields |
| `scalars.py` | the types of scalars |
| `types.py` | types and classes, before they are written |
| `names.py` | the names of classes and fields |
| `comments.py` | what is said beside a field |
| `code.py` | writes a module |
| `layout.py` | lays out expressions as ruff formats them |
| `kinds.py` | how each kind of class is written |
| `differ.py` | what differs from a class that there is |
| `json_schema.py` | evidence from a JSON Schema instead of a file |
"""
