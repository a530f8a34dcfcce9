import SwiftData
import Testing

/// What Documentation/store-format.md prints is what `sqlite3` prints.
@Suite struct StoreFormatTests {
  /// The document's blocks of a terminal: what follows `$ ` is run, the rest is what it must print. A block may have
  /// several of them. The identity of a store is made anew each time, and is compared as one of its kind only.
  @Test func terminalBlocksAreReal() throws {
    let folder = try TemporaryFolder()
    try StoreFormatCode.fill(folder.file("store.db"))
    try TripCode.fill(folder.file("trips.db"))
    let text = try Documents.text("Documentation/store-format.md")
    var commands = 0
    for block in Documents.blocks("console", in: text) {
      for part in ("\n" + block).components(separatedBy: "\n$ ").dropFirst() {
        let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
        let command = try #require(lines.first)
        let expected = lines.dropFirst().joined(separator: "\n").trimmingCharacters(in: .newlines)
        let printed = try Shell.run(String(command), in: folder.url).trimmingCharacters(in: .newlines)
        #expect(masked(printed) == masked(expected), "$ \(command)\n\(printed)")
        commands += 1
      }
    }
    #expect(commands >= 4)
  }

  private func masked(_ text: String) -> String {
    text.replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/, with: "…")
  }

  @Test func tableOfModelsThatInheritIsReal() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: StoreFormatCode.Oak.self, configurations: ModelConfiguration(url: folder.file("plants.db")))
    let context = ModelContext(container)
    context.insert(StoreFormatCode.Plant(name: "moss"))
    context.insert(StoreFormatCode.Oak(name: "oak", height: 20))
    try context.save()
    let blocks = Documents.blocks("sql", in: try Documents.text("Documentation/store-format.md"))
    let table = try Shell.run(
      "sqlite3 plants.db \"SELECT sql FROM sqlite_schema WHERE name = 'Plant'\"", in: folder.url)
    #expect(blocks.contains(table.trimmingCharacters(in: .newlines)))
    let query = try #require(blocks.first { $0.contains("FROM Plant WHERE larder_class") })
    #expect(try Shell.run("sqlite3 plants.db \"\(query)\"", in: folder.url) == "oak|20.0\n")
  }

  /// The table of types: the column type of each, and the value as SQL writes it.
  @Test func tableOfTypesIsReal() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("types.db")
    let address = try #require(URL(string: "https://example.org/a?b=c"))
    let container = try ModelContainer(
      for: StoreFormatCode.EveryType.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(StoreFormatCode.EveryType(url: address))
    try context.save()
    let columns = try Shell.run(
      #"sqlite3 types.db "SELECT name, type, CASE WHEN \"notnull\" THEN 'NOT NULL' ELSE '' END FROM "#
        + #"pragma_table_info('EveryType') WHERE name NOT LIKE 'larder_%'""#, in: folder.url)
    let found = columns.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
    let values = try Shell.run(
      #"sqlite3 types.db "SELECT "#
        + found.map { "quote(\\\"\($0[0])\\\")" }.joined(separator: " || char(10) || ") + #" FROM EveryType""#,
      in: folder.url
    ).split(separator: "\n").map(String.init)
    try #require(found.count == values.count)
    // | Swift | column | example |
    let rows = try Documents.text("Documentation/store-format.md").split(separator: "\n")
      .filter { $0.hasPrefix("| ") }.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    for (column, value) in zip(found, values) {
      let (name, type) = (column[0], column[1])
      #expect(
        rows.contains { $0.count >= 4 && $0[1] == "`\(name)`" && $0[2] == type && $0[3] == "`\(value)`" },
        "no row of the table says | … | `\(name)` | \(type) | `\(value)` |")
    }
  }
}
