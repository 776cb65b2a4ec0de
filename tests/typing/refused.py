"""Code that a checker must refuse. Both checkers report an `ignore` that is not needed."""

import penstock

penstock.load(b"{}")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.decode(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.decode("1", 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.decode("1", format="toml")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.decode(data="1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.json.decode("1", int, True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.json.read("a.json", framing="lines")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.json.load("a.json", errors="skip")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.Limits(depth=None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.send(b"{}", object())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.send("a.xml")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.on(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.on("a")(1)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
penstock.xml.decode("<a/>", repair="everything")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.xml.decode("<a/>", namespaces=True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.xml.events(b"<a/>")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.encode([1])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
penstock.dump([1], b"")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.write("n.json", int).write("x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
penstock.json.write("n.json", append=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
