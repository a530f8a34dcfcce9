"""What a built module makes public, as the compiler's symbol graph tells it."""
import json
import pathlib
import re
import subprocess
import tempfile

from declarations import Declaration

# What an import of SwiftData offers, beside what is Foundation's and the standard library's.
MODULES = ("LarderData", "LarderModels")

# What conforming to a protocol of the standard library brings with it.
IMPLIED = {
    "Hashable": {"Equatable"}, "Comparable": {"Equatable"}, "Error": {"Sendable"}, "Sendable": {"SendableMetatype"},
    "SerialExecutor": {"Executor"}, "RandomAccessCollection": {"Sequence"}, "Actor": {"Sendable"},
}


class Symbol:
    def __init__(self, described):
        self.path = described["pathComponents"]
        self.container = ".".join(self.path[:-1])
        self.kind = described["kind"]["identifier"].removeprefix("swift.")
        self.fragments = "".join(part["spelling"] for part in described["declarationFragments"]).strip()
        self.declaration = Declaration(self.fragments)
        location = described.get("location", {}).get("uri", "")
        self.folder = match.group(1) if (match := re.search(r"/Sources/(?:LarderData/)?(\w+)/", location)) else ""

    @property
    def is_plumbing(self):
        """Public for the code that macros write, not for people: an underscore says so."""
        return any(re.search(r"^_|[(:]_[\w$]", name) for name in self.path)


class Graph:
    def __init__(self, files):
        self.symbols, self.extensions, self.paths, pending = [], [], {}, []
        for file in files:
            content = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
            for described in content["symbols"]:
                self.paths[described["identifier"]["precise"]] = ".".join(described["pathComponents"])
                if described["accessLevel"] in ("public", "open"):
                    symbol = Symbol(described)
                    (self.extensions if symbol.kind == "extension" else self.symbols).append(symbol)
            pending += content["relationships"]
        self.conformances = {}
        for relation in pending:
            if relation["kind"] in ("conformsTo", "inheritsFrom") and relation["source"] in self.paths:
                target = relation.get("targetFallback") or self.paths.get(relation["target"], "")
                self.conformances.setdefault(self.paths[relation["source"]], set()).add(
                    self.paths.get(relation["target"], target.split(".")[-1]))
        # Those that aren't public are nobody else's matter.
        public = {".".join(symbol.path) for symbol in self.symbols}
        hidden = set(self.paths.values()) - public
        self.conformances = {name: found - hidden for name, found in self.conformances.items()}
        self.symbols.sort(key=lambda symbol: (symbol.path, symbol.declaration.text))

    def conforms(self, path):
        """All that a type conforms to or inherits from, what that brings with it included."""
        found, open_names = set(), [path]
        while open_names:
            name = open_names.pop()
            for other in self.conformances.get(name, set()) | IMPLIED.get(name, set()):
                if other not in found:
                    found.add(other)
                    open_names.append(other)
        return found


def extract(root, products):
    """The graph of what was built into a folder of products. Takes a second, and compiles nothing."""
    maps = []
    for source in sorted((root / "Sources").glob("C*")):
        for file in (source / "module.modulemap", products / f"{source.name}.build" / "module.modulemap"):
            if file.exists():
                maps += ["-Xcc", f"-fmodule-map-file={file}"]
    target = json.loads(subprocess.run(
        ["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout)["target"]["triple"]
    with tempfile.TemporaryDirectory() as folder:
        # At the level "public" the tool leaves out what begins with an underscore.
        for module in MODULES:
            subprocess.run(
                ["swift-symbolgraph-extract", "-module-name", module, "-I", str(products / "Modules"), *maps,
                 "-target", target, "-output-dir", folder, "-minimum-access-level", "internal",
                 "-skip-synthesized-members", "-emit-extension-block-symbols"],
                capture_output=True, text=True, check=True)
        return Graph(sorted(pathlib.Path(folder).glob("*.symbols.json")))
