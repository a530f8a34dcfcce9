"""Compares Apple's symbols with ours, and writes Documentation/conformance.md of it."""
import collections
import csv
import re

from declarations import TYPES, Declaration

# What follows from the conformances that a type's row states.
IMPLIED_MEMBERS = {
    "==", "<", "hash", "encode", "init(from:any Decoder)throws", "init?(rawValue:String)", "rawValue", "description",
    "debugDescription", "errorDescription", "startIndex", "endIndex", "subscript",
}
# Part of every type, or of what a row's kind says.
UNTOLD_CONFORMANCES = {"Copyable", "Escapable", "BitwiseCopyable", "SendableMetatype", "Equatable", "Sendable"}
ORDER = ["tested", "compiled", "inert", "pending", "left out", "missing"]


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_names(root):
    names = set()
    for file in (root / "Tests").rglob("*.swift"):
        names.update(re.findall(r"@Test[^{}]*?func (\w+)\(", file.read_text(encoding="utf-8")))
    return names


def path_of(container, name):
    return ".".join(filter(None, [container, name]))


class Report:
    def __init__(self, apple, ours, graph, tests):
        self.graph, self.problems, self.rows, self.matched = graph, [], [], set()
        self.symbols = collections.defaultdict(list)
        for symbol in graph.symbols:
            self.symbols[symbol.container, symbol.declaration.text].append(symbol)
        for row in apple:
            for name in filter(None, row["shown by"].split(", ")):
                if name not in tests:
                    self.problems.append(f"there is no test {name}, named for: {row['declaration']}")
            self.rows.append((row, self._state(row)))
        self._compare_ours(apple, ours)

    def _state(self, row):
        if row["wanted"] == "N":
            return "left out"
        # A row may stand for several declarations that are not there yet.
        if "…" in row["declaration"]:
            return f"pending: {row['until']}"
        if not self._is_there(row):
            return f"pending: {row['until']}" if row["until"] else "missing"
        if row["until"]:
            return f"pending: {row['until']} (accepted)"
        return "inert" if row["wanted"] == "I" else "tested" if row["shown by"] else "compiled"

    def _is_there(self, row):
        wanted = Declaration(row["declaration"])
        if wanted.kind == "extension":
            found, path = True, wanted.name
            if wanted.where:
                found = any(e.declaration.text == wanted.text for e in self.graph.extensions)
        else:
            found = self.symbols[row["in"], wanted.text]
            path = path_of(row["in"], wanted.name)
        if found is not True:
            self.matched.update(id(symbol) for symbol in found)
        missing = self._lacking(wanted, path) if found else []
        if not row["until"]:
            if missing:
                self.problems.append(f"{path} does not conform to {', '.join(missing)}")
            elif not found:
                near = [s.declaration.text for s in self.graph.symbols
                        if s.container == row["in"] and s.declaration.name == wanted.name]
                self.problems.append("\n    but has ".join([f"{row['in'] or 'the module'} lacks {wanted.text}"] + near))
        return bool(found) and not missing

    def _lacking(self, wanted, path):
        has = self.graph.conforms(path)
        # Of classes only; the graph tells it in no other way.
        has.add("AnyObject")
        if "RawRepresentable" in has:
            has.add("String")
        return [name for name in wanted.inherits if name not in has]

    def _compare_ours(self, apple, ours):
        """Sorts what is public and not Apple's: overloads of its names, which need a reason, and the rest."""
        stated = [(row["in"], Declaration(row["declaration"])) for row in apple
                  if row["wanted"] != "N" and "…" not in row["declaration"]]
        names = {(container, declaration.name) for container, declaration in stated}
        types = {path_of(container, declaration.name) for container, declaration in stated if declaration.kind in TYPES}
        reasons = {(row["in"], Declaration(row["declaration"]).text): row["why"] for row in ours}
        self.overloads, self.extensions, self.types, self.foreign = [], {}, {}, {}
        own = {symbol.path[0] for symbol in self.graph.symbols if self._is_own_type(symbol, types)}
        for symbol in self.graph.symbols:
            if id(symbol) in self.matched or symbol.is_plumbing:
                continue
            outer = symbol.path[0]
            if outer in own:
                if not symbol.container:
                    self.types.setdefault(symbol.folder, []).append(symbol)
            elif self._is_implied(symbol):
                continue
            elif (symbol.container, symbol.declaration.name) in names:
                why = reasons.pop((symbol.container, symbol.declaration.text), None)
                self.overloads.append((symbol, why))
                if why is None:
                    self.problems.append(
                        f"{'.'.join(symbol.path)} is a name of Apple's with a declaration that Apple does not have: "
                        f"{symbol.fragments}\n    Make it Apple's, or say in Scripts/symbols/ours.tsv why it is there.")
            elif outer in types:
                self.extensions.setdefault(symbol.container, []).append(symbol)
            else:
                self.foreign.setdefault(symbol.container, []).append(symbol)
        for container, text in reasons:
            self.problems.append(f"Scripts/symbols/ours.tsv lists what is not there: {container} {text}")
        self.conformances = {
            name: extra for name in sorted(types) if (extra := self._extra_conformances(name, stated))}

    def _is_own_type(self, symbol, types):
        return not symbol.container and symbol.path[0] not in types and id(symbol) not in self.matched

    def _is_implied(self, symbol):
        declaration = symbol.declaration
        if declaration.name in IMPLIED_MEMBERS or declaration.text in IMPLIED_MEMBERS:
            return True
        # A requirement of one of our protocols, or an override of the superclass's.
        return any(
            other.container in self.graph.conforms(symbol.container) and other.declaration.name == declaration.name
            for other in self.graph.symbols)

    def _extra_conformances(self, name, stated):
        """What a type conforms to beyond what its rows state, and what that brings with it."""
        expected = set(UNTOLD_CONFORMANCES)
        for container, declaration in stated:
            if path_of(container, declaration.name) == name:
                for base in declaration.inherits:
                    # An enumeration with raw values.
                    expected |= {"RawRepresentable", "Hashable"} if base == "String" else {base}
                    expected |= self.graph.conforms(base)
        direct = self.graph.conformances.get(name, set())
        return sorted(other for other in direct - expected if not other.startswith("_"))

    def counts(self):
        counts = collections.Counter()
        for row, state in self.rows:
            counts[row["group"], state.split(":")[0]] += 1
        return counts
