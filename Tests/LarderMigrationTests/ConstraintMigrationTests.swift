import DurabilityWork
import Foundation
import SwiftData
import Testing

// What is unique and indexed in several versions, with relationships to what is there twice.

enum Loose {
  @Model final class Word {
    var text: String
    var rank: Int
    var page: Page?
    init(text: String, rank: Int) {
      self.text = text
      self.rank = rank
    }
  }

  @Model final class Page {
    #Index<Page>([\.number])
    var number: Int
    var favourite: Word?
    var words: [Word] = []
    init(number: Int) { self.number = number }
  }
}

enum Tight {
  @Model final class Word {
    #Index<Word>([\.rank])
    @Attribute(.unique) var text: String
    var rank: Int
    var page: Page?
    init(text: String, rank: Int) {
      self.text = text
      self.rank = rank
    }
  }

  @Model final class Page {
    #Unique<Page>([\.number])
    var number: Int
    var favourite: Word?
    var words: [Word] = []
    init(number: Int) { self.number = number }
  }
}

@Suite struct ConstraintMigrationTests {
  private func looseStore() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Loose.Word.self, Loose.Page.self) { context in
      let words = [("a", 1), ("b", 2), ("a", 3)].map { Loose.Word(text: $0, rank: $1) }
      for word in words {
        context.insert(word)
        try context.save()
      }
      let page = Loose.Page(number: 1)
      context.insert(page)
      page.words = [words[2], words[1]]
      page.favourite = words[0]
      for word in words { word.page = page }
    }
    return store
  }

  @Test(arguments: [MigrationOptions.Duplicates.keepFirst, .keepLast])
  func whatLedToARowThatGoesLeadsToTheOneThatStays(_ duplicates: MigrationOptions.Duplicates) throws {
    let store = try looseStore()
    try store.open(Tight.Word.self, Tight.Page.self, options: MigrationOptions(duplicates: duplicates)) { context in
      let words = try context.all(Tight.Word.self).sorted { $0.text < $1.text }
      let rank = duplicates == .keepFirst ? 1 : 3
      #expect(words.map(\.rank) == [rank, 2])
      let page = try #require(try context.all(Tight.Page.self).first)
      #expect(page.favourite?.rank == rank)
      #expect(Set(page.words.map(\.rank)) == [rank, 2])
      #expect(words.allSatisfy { $0.page === page })
    }
  }

  @Test func uniquenessAndIndexesComeAndGo() throws {
    let store = try TemporaryStore()
    try store.open(Loose.Word.self, Loose.Page.self) { $0.insert(Loose.Word(text: "a", rank: 1)) }
    func names() throws -> [String] {
      try store.strings("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1")
    }
    let loose = try names()
    #expect(loose.contains("larder_index_Page(number)"))
    try store.open(Tight.Word.self, Tight.Page.self) { context in
      context.insert(Tight.Word(text: "a", rank: 2))
    }
    let tight = try names()
    #expect(tight.contains("larder_unique_Word(text)") && tight.contains("larder_index_Word(rank)"))
    #expect(tight.contains("larder_unique_Page(number)") && !tight.contains("larder_index_Page(number)"))
    // The insert met the row.
    let ranks = try store.open(Loose.Word.self, Loose.Page.self) { try $0.all(Loose.Word.self).map(\.rank) }
    #expect(ranks == [2])
    #expect(try names() == loose)
  }

  @Test func anIndexThatWasDroppedByHandIsNotMissed() throws {
    let store = try TemporaryStore()
    try store.open(Tight.Word.self, Tight.Page.self) { $0.insert(Tight.Word(text: "a", rank: 1)) }
    try store.execute("DROP INDEX \"larder_index_Word(rank)\"")
    try store.execute("DROP INDEX \"larder_unique_Page(number)\"")
    let ranks = try store.open(Loose.Word.self, Loose.Page.self) { try $0.all(Loose.Word.self).map(\.rank) }
    #expect(ranks == [1])
  }

  @Test func aCopyOfAStoreThatCouldNotBeMigratedDoesNotStay() throws {
    let store = try looseStore()
    let before = store.bytes
    let error = store.failure(Tight.Word.self, options: MigrationOptions(keepsPreviousStore: true)) as? StoreError
    #expect(error?.code == .duplicateValues)
    #expect(error?.explanation.contains("1 value is there more than once, such as \"a\"") == true)
    #expect(store.bytes == before)
    #expect(!store.folder.names.contains { $0.contains("former") })
  }
}
