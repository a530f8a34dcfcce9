import Foundation
import Testing

/// Documentation/semantics.md names a test for each decision; here each named test must exist.
@Suite struct DocumentTests {
  private static var package: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The names of all test functions in the test sources.
  private func testNames() throws -> Set<String> {
    let folder = Self.package.appending(path: "Tests", directoryHint: .isDirectory)
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // A test's name, and not that of a helper: @Test stands before it.
      for match in text.matches(of: /(?m)^\s*(?:@\w+ )*@Test\b[\s\S]*?\bfunc (\w+)\(/) { names.insert(String(match.1)) }
    }
    return names
  }

  /// The rows of the document's tables as cells.
  private func decisions() throws -> [[String]] {
    let document = Self.package.appending(path: "Documentation/semantics.md", directoryHint: .notDirectory)
    let text = try String(contentsOf: document, encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("|"), line.hasSuffix("|"), !line.hasPrefix("|---") else { return nil }
      let cells = line.dropFirst().dropLast().split(separator: " | ", omittingEmptySubsequences: false)
      return cells.map { $0.trimmingCharacters(in: .whitespaces) }
    }.filter { $0.last != "shown by" }
  }

  @Test func everyDecisionNamesATestThatExists() throws {
    let names = try testNames()
    let rows = try decisions()
    #expect(rows.count > 40)
    for row in rows {
      try #require(row.count == 2, "a row has a decision and its tests: \(row)")
      let named = row[1].matches(of: /`(\w+)`/).map { String($0.1) }
      #expect(!named.isEmpty, "no test is named for: \(row[0])")
      for name in named { #expect(names.contains(name), "there is no test \(name), named for: \(row[0])") }
    }
  }

  @Test func noTestIsNamedThatIsOnlyAHelper() throws {
    let names = try testNames()
    #expect(names.contains("everyDecisionNamesATestThatExists"))
    #expect(!names.contains("testNames"))
  }
}
