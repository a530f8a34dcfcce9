import Testing

/// Each piece of Swift in the documents is one of these tests' snippets, and each snippet is in a document.
@Suite struct SnippetTests {
  @Test func documentsShowCodeThatRuns() throws {
    let known = Set(try Snippets.all().values)
    for path in try Documents.paths() {
      for block in Documents.blocks("swift", in: try Documents.text(path)) {
        let runs = known.contains(block)
        #expect(runs, "\(path) shows Swift that is no snippet of Tests/DocumentationTests:\n\(block)")
      }
    }
  }

  @Test func snippetsAreShown() throws {
    let shown = Set(try Documents.paths().flatMap { Documents.blocks("swift", in: try Documents.text($0)) })
    for (name, text) in try Snippets.all() {
      let isShown = shown.contains(text)
      #expect(isShown, "the snippet \"\(name)\" is in no document as it is:\n\(text)")
    }
  }

  @Test func snippetsAreCutOutOfTheirSurroundings() {
    let source = """
      before
        // snippet: one
        if true {
          go()
        }

        // snippet end
      between
      // snippet: one
      last
      // snippet end
      """
    #expect(Snippets.snippets(in: source).map(\.part) == ["if true {\n  go()\n}", "last"])
    #expect(Documents.blocks("swift", in: "a\n```swift\nb\n\nc\n```\n```sh\nd\n```") == ["b\n\nc"])
  }
}
