// snippet: readme program
import SwiftData
// snippet end
import Testing

/// The program that README.md begins with.
@Suite struct FirstProgramCode {
  // snippet: readme program
  @Model
  final class Note {
    var text: String
    var written = Date.now

    init(text: String) { self.text = text }
  }
  // snippet end

  @Test func theFirstProgramWorks() throws {
    let folder = try TemporaryFolder()
    // The program's file lies in a folder of the test's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func URL(filePath: String) -> Foundation.URL { folder.file(filePath) }
    var lines: [String] = []
    func print(_ written: Date, _ text: String) { lines.append(text) }

    // snippet: readme program
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(url: URL(filePath: "notes.store")))
    let context = ModelContext(container)
    context.insert(Note(text: "the first"))
    try context.save()
    for note in try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.written)])) {
      print(note.written, note.text)
    }
    // snippet end

    #expect(lines == ["the first"])
  }
}
