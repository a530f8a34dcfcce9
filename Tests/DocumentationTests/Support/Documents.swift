import Foundation

/// The documents whose code is compiled, and the code blocks in them.
enum Documents {
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Paths from the package's folder.
  static func paths() throws -> [String] {
    let catalogues = ["LarderData", "LarderHTTP", "LarderIngest", "LarderJSON", "LarderSecrets", "LarderTesting"].map {
      "Sources/\($0)/\($0).docc"
    }
    return try ["README.md", "Documentation/store-format.md"]
      + catalogues.flatMap { catalogue in
        try FileManager.default.contentsOfDirectory(atPath: file(catalogue).path())
          .filter { $0.hasSuffix(".md") }.sorted().map { "\(catalogue)/\($0)" }
      }
  }

  static func file(_ path: String) -> URL { package.appending(path: path) }

  static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

  /// The contents of a document's code blocks of a language.
  static func blocks(_ language: String, in text: String) -> [String] {
    var blocks: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = block {
        if line == "```" {
          blocks.append(lines.joined(separator: "\n"))
          block = nil
        } else {
          block = lines + [line]
        }
      } else if line == "```\(language)" {
        block = []
      }
    }
    return blocks
  }
}

/// The parts of these tests' sources that documents show: between `// snippet: name` and `// snippet end`, without
/// their common indentation. Several parts of one name are one snippet, in their order, a blank line between them.
enum Snippets {
  static func all() throws -> [String: String] {
    var parts: [String: [String]] = [:]
    let folder = Documents.file("Tests/DocumentationTests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      // The tests of this have snippets of their own.
      guard file.pathExtension == "swift", file.lastPathComponent != "SnippetTests.swift" else { continue }
      for (name, part) in snippets(in: try String(contentsOf: file, encoding: .utf8)) {
        parts[name, default: []].append(part)
      }
    }
    return parts.mapValues { $0.joined(separator: "\n\n") }
  }

  static func snippets(in source: String) -> [(name: String, part: String)] {
    var found: [(String, String)] = []
    var open: (name: String, lines: [Substring])?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let bare = line.trimmingPrefix { $0 == " " }
      if bare.hasPrefix("// snippet: ") {
        open = (String(bare.dropFirst(12)), [])
      } else if bare == "// snippet end" {
        if let open { found.append((open.name, withoutIndentation(open.lines))) }
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    return found
  }

  private static func withoutIndentation(_ lines: [Substring]) -> String {
    let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    // The formatter parts imports from what follows.
    let shown = lines.prefix((lines.lastIndex { !$0.isEmpty } ?? -1) + 1)
    return shown.map { $0.dropFirst(indentation) }.joined(separator: "\n")
  }
}
