"""What Scripts/conformance takes for the same declaration, and what it reports."""
import sys
import unittest

from fixtures import ROOT

sys.path.insert(0, str(ROOT / "Scripts" / "symbols"))

from declarations import Declaration  # noqa: E402
from graph import Graph  # noqa: E402
from page import render  # noqa: E402
from report import Report  # noqa: E402


class DeclarationTests(unittest.TestCase):
    def assert_same(self, one, other):
        self.assertEqual(Declaration(one).text, Declaration(other).text)

    def assert_different(self, one, other):
        self.assertNotEqual(Declaration(one).text, Declaration(other).text)

    def test_names_inside_and_enclosing_types_do_not_matter(self):
        self.assert_same("func save(to toURL: URL) throws", "public func save(to url: Foundation.URL) throws")
        self.assert_same("init(_ a: Schema.Index<T>.Types<T>...)", "convenience init(_ b: Types<T>...)")
        self.assert_same("func each(block: (_ model: T) throws -> Void)", "func each(block: (T) throws -> Void)")

    def test_labels_types_and_defaults_matter(self):
        self.assert_different("func save(to url: URL)", "func save(_ url: URL)")
        self.assert_different("func save(to url: URL)", "func save(to url: URL?)")
        self.assert_different("init(a: Int = 1)", "init(a: Int)")
        self.assert_different("init(a: Int = 1)", "init(a: Int = 2)")
        self.assert_different("func save() throws", "func save()")

    def test_isolation_matters(self):
        self.assert_different("@MainActor var context: Context { get }", "var context: Context { get }")
        self.assert_different("nonisolated var context: Context { get }", "var context: Context { get }")

    def test_constraints_are_compared_in_any_order_and_spelling(self):
        self.assert_same(
            "func a<T>(_ t: T) where T: Codable & Hashable",
            "func a<T>(_ t: T) where T : Hashable, T : Encodable, T : Decodable")
        self.assert_different("func a<T>(_ t: T) where T: Hashable", "func a<T>(_ t: T)")

    def test_what_can_be_set_matters(self):
        self.assert_same("let a: Int", "var a: Int { get }")
        self.assert_same("var a: Int", "var a: Int { get set }")
        self.assert_different("let a: Int", "var a: Int")

    def test_labels_of_subscripts_are_told_apart_from_names(self):
        self.assert_same("subscript(position: Int) -> A { get }", "subscript(at: Int) -> A { get }")
        self.assert_different("subscript(at position: Int) -> A { get }", "subscript(position: Int) -> A { get }")

    def test_of_macros_the_roles_matter(self):
        self.assert_same("@attached(member, names: named(a)) macro M()", "@attached(member, names: named(b)) macro M()")
        self.assert_different("@attached(member) macro M()", "@attached(peer) macro M()")

    def test_inheritance_is_taken_apart(self):
        declaration = Declaration("final class A<T>: Codable, Hashable where T: B")
        self.assertEqual(declaration.inherits, ["Decodable", "Encodable", "Hashable"])
        self.assertEqual((declaration.name, declaration.where), ("A", "T:B"))


class StandIn(Graph):
    """A graph of declarations that are written down here."""

    def __init__(self, declarations, conformances=None):
        from graph import Symbol
        self.extensions, self.conformances, self.symbols = [], conformances or {}, []
        for container, text in declarations:
            declaration = Declaration(text)
            self.symbols.append(Symbol({
                "pathComponents": [*filter(None, container.split(".")), declaration.name],
                "kind": {"identifier": "swift." + declaration.kind}, "declarationFragments": [{"spelling": text}]}))


def row(container, declaration, wanted="Y", until="", shown=""):
    return {"group": "G", "in": container, "declaration": declaration, "since": "17", "wanted": wanted, "until": until,
            "shown by": shown}


class ReportTests(unittest.TestCase):
    def states(self, rows, graph, ours=()):
        report = Report(rows, list(ours), graph, {"aTest"})
        return [state for _, state in report.rows], report.problems

    def test_tells_the_states(self):
        graph = StandIn([("", "struct A"), ("A", "func b()"), ("A", "func c()"), ("A", "func e()")])
        states, problems = self.states([
            row("", "struct A"), row("A", "func b()", shown="aTest"), row("A", "func c()", wanted="I"),
            row("A", "func d()", until="history"), row("A", "func e()", until="history"),
            row("A", "func f()", wanted="N")], graph)
        self.assertEqual(
            states,
            ["compiled", "tested", "inert", "pending: history", "pending: history (accepted)", "left out"])
        self.assertEqual(problems, [])

    def test_what_is_missing_is_a_problem_that_shows_what_is_near(self):
        graph = StandIn([("", "struct A"), ("A", "func b(_ x: Int)")])
        states, problems = self.states([row("", "struct A"), row("A", "func b(x: Int)")], graph)
        self.assertEqual(states, ["compiled", "missing"])
        self.assertIn("A lacks func b(x:Int)\n    but has func b(_:Int)", problems)

    def test_a_missing_conformance_is_a_problem(self):
        wanted = [row("", "struct A: Hashable")]
        self.assertEqual(self.states(wanted, StandIn([("", "struct A")]))[1], ["A does not conform to Hashable"])
        self.assertEqual(self.states(wanted, StandIn([("", "struct A")], {"A": {"Hashable"}}))[1], [])

    def test_an_overload_of_ours_needs_a_reason(self):
        graph = StandIn([("", "struct A"), ("A", "func b()"), ("A", "func b(_ x: Int)"), ("A", "func own()")])
        rows = [row("", "struct A"), row("A", "func b()")]
        self.assertEqual(len(self.states(rows, graph)[1]), 1)
        reason = {"in": "A", "declaration": "func b(_ y: Int)", "why": "It is handy."}
        self.assertEqual(self.states(rows, graph, [reason])[1], [])

    def test_a_reason_without_its_overload_is_a_problem(self):
        problems = self.states([row("", "struct A")], StandIn([("", "struct A")]), [
            {"in": "A", "declaration": "func b()", "why": "It was there once."}])[1]
        self.assertEqual(len(problems), 1)

    def test_a_test_that_is_not_there_is_a_problem(self):
        problems = self.states([row("", "struct A", shown="noTest")], StandIn([("", "struct A")]))[1]
        self.assertEqual(problems, ["there is no test noTest, named for: struct A"])

    def test_the_page_lists_what_is_ours_and_leaves_plumbing_out(self):
        graph = StandIn([("", "struct A"), ("A", "func own()"), ("", "struct Mine"), ("A", "func _hidden()")])
        text = render(Report([row("", "struct A")], [], graph, set()))
        self.assertIn("- `func own()`", text)
        self.assertIn("`Mine`", text)
        self.assertNotIn("_hidden", text)


if __name__ == "__main__":
    unittest.main()
