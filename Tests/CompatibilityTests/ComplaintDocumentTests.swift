import Foundation
import Testing

/// Documentation/complaints.md has a row for each of the 25 complaints, and each names tests that exist, or says what is
/// not there yet.
@Suite struct ComplaintDocumentTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The names of all test functions in the test sources.
  private func testNames() throws -> Set<String> {
    let folder = Self.package.appending(path: "Tests", directoryHint: .isDirectory)
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      // A test's name, and not that of a helper: @Test stands before it.
      for match in try String(contentsOf: file, encoding: .utf8).matches(
        of: /(?m)^\s*(?:@\w+ )*@Test\b[\s\S]*?\bfunc (\w+)\(/)
      {
        names.insert(String(match.1))
      }
    }
    return names
  }

  private func rows() throws -> [[String]] {
    let file = Self.package.appending(path: "Documentation/complaints.md", directoryHint: .notDirectory)
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return cells.count == 6 && Int(cells[1]) != nil ? Array(cells[1...4]) : nil
    }
  }

  @Test func eachComplaintIsAnsweredOrSaysWhatIsMissing() throws {
    let (rows, names) = (try rows(), try testNames())
    #expect(rows.map(\.[0]) == (1...25).map(String.init))
    for row in rows {
      #expect(!row[1].isEmpty)
      let parts = row[3].components(separatedBy: "not yet: ")
      let named = parts[0].matches(of: /`(\w+)`/).map { String($0.1) }
      #expect(parts.count == 2 || !named.isEmpty, "complaint \(row[0]) names no test")
      #expect(named.isEmpty || !row[2].isEmpty, "complaint \(row[0]) says nothing of what happens here")
      #expect(parts.count == 1 || !parts[1].isEmpty, "complaint \(row[0]) does not say what is missing")
      for name in named { #expect(names.contains(name), "there is no test \(name), named for complaint \(row[0])") }
    }
  }
}
