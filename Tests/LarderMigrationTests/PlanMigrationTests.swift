import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// A plan over four versions: two stages that the store takes by itself, and two with work of the program's own.
enum LibraryV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Tag.self] }

  @Model final class Book {
    var title: String
    var author: String
    init(title: String, author: String) {
      self.title = title
      self.author = author
    }
  }

  @Model final class Tag {
    var word: String
    init(word: String) { self.word = word }
  }
}

enum LibraryV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Tag.self] }

  @Model final class Book {
    var title: String
    var author: String
    var pages: Int?
    init(title: String, author: String) {
      self.title = title
      self.author = author
    }
  }

  @Model final class Tag {
    @Attribute(.unique) var word: String
    init(word: String) { self.word = word }
  }
}

enum LibraryV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Tag.self, Author.self] }

  @Model final class Book {
    var title: String
    var author: String
    var pages: Int?
    var writer: Author?
    var tags: [Tag] = []
    init(title: String, author: String) {
      self.title = title
      self.author = author
    }
  }

  @Model final class Tag {
    @Attribute(.unique) var word: String
    init(word: String) { self.word = word }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.writer) var books: [Book] = []
    init(name: String) { self.name = name }
  }
}

enum LibraryV4: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    var title: String
    var pages: Int?
    var writer: Author?
    init(title: String) { self.title = title }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.writer) var books: [Book] = []
    init(name: String) { self.name = name }
  }
}

enum LibraryPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self, LibraryV4.self] }
  static var stages: [MigrationStage] {
    [oneToTwo, twoToThree, .lightweight(fromVersion: LibraryV3.self, toVersion: LibraryV4.self)]
  }

  /// Before words become unique, those that are there twice go.
  static let oneToTwo = MigrationStage.custom(
    fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
    willMigrate: { context in
      var seen: Set<String> = []
      for tag in try context.fetch(FetchDescriptor<LibraryV1.Tag>()) where !seen.insert(tag.word).inserted {
        context.delete(tag)
      }
      try context.save()
    }, didMigrate: nil)

  /// Authors become objects of their own. The last change is not saved by hand.
  static let twoToThree = MigrationStage.custom(
    fromVersion: LibraryV2.self, toVersion: LibraryV3.self, willMigrate: nil,
    didMigrate: { context in
      let tags = try context.fetch(FetchDescriptor<LibraryV3.Tag>())
      for book in try context.fetch(FetchDescriptor<LibraryV3.Book>()) {
        let name = book.author
        let known = try context.fetch(FetchDescriptor<LibraryV3.Author>(predicate: #Predicate { $0.name == name }))
        let author = known.first ?? LibraryV3.Author(name: name)
        book.writer = author
        book.tags = tags
      }
    })
}

enum FailingPlan: SchemaMigrationPlan {
  struct Unwilling: Error {}

  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
        willMigrate: { context in
          try context.delete(model: LibraryV1.Tag.self)
          try context.save()
        }, didMigrate: { _ in throw Unwilling() })
    ]
  }
}

enum GappedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)] }
}

@Suite struct PlanMigrationTests {
  private func firstStore() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: LibraryV1.self)) { context in
      for (title, author) in [("Emma", "Austen"), ("Persuasion", "Austen"), ("Ulysses", "Joyce")] {
        context.insert(LibraryV1.Book(title: title, author: author))
      }
      for word in ["old", "new", "old"] { context.insert(LibraryV1.Tag(word: word)) }
    }
    return store
  }

  @Test func aPlanLeadsOverAllVersionsAtOnce() throws {
    let store = try firstStore()
    for _ in 0..<2 {
      let books = try store.open(Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self) { context in
        try context.all(LibraryV4.Book.self).map { "\($0.title) \($0.writer?.name ?? "nobody")" }.sorted()
      }
      #expect(books == ["Emma Austen", "Persuasion Austen", "Ulysses Joyce"])
    }
  }

  @Test func aPlanBeginsAtTheVersionThatTheStoreHas() throws {
    let store = try firstStore()
    let words = try store.open(Schema(versionedSchema: LibraryV2.self), plan: PlanToTwo.self) { context in
      try context.all(LibraryV2.Tag.self).map(\.word).sorted()
    }
    #expect(words == ["new", "old"])
    let tags = try store.open(Schema(versionedSchema: LibraryV3.self), plan: PlanToThree.self) { context in
      try context.all(LibraryV3.Book.self).map { $0.tags.count }
    }
    #expect(tags == [2, 2, 2])
    let authors = try store.open(Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self) { context in
      try context.all(LibraryV4.Author.self).map { "\($0.name) \($0.books.count)" }.sorted()
    }
    #expect(authors == ["Austen 2", "Joyce 1"])
  }

  @Test func aStageThatThrowsLeavesTheStoreAsItWas() throws {
    let store = try firstStore()
    let before = store.bytes
    #expect(store.failure(LibraryV2.Book.self, LibraryV2.Tag.self, plan: FailingPlan.self) is FailingPlan.Unwilling)
    #expect(store.bytes == before)
    let words = try store.open(Schema(versionedSchema: LibraryV1.self)) { try $0.all(LibraryV1.Tag.self).count }
    #expect(words == 3)
  }

  @Test func uniquenessWithDuplicatesIsRefusedOrSettled() throws {
    let store = try firstStore()
    let error = store.failure(LibraryV2.Book.self, LibraryV2.Tag.self) as? StoreError
    #expect(error?.code == .duplicateValues)
    #expect(error?.explanation.contains("such as \"old\"") == true)
    let words = try store.open(
      LibraryV2.Book.self, LibraryV2.Tag.self, options: MigrationOptions(duplicates: .keepFirst)
    ) { try $0.all(LibraryV2.Tag.self).map(\.word).sorted() }
    #expect(words == ["new", "old"])
  }

  enum NoteV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  enum NoteV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var text: String
      var length: Int
      init(_ text: String) {
        self.text = text
        length = text.count
      }
    }
  }

  /// What is new has no value without its stage; that there is one, the program may have forgotten to say.
  @Test func aPlanThatWasForgottenIsNamed() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: NoteV1.self)) { $0.insert(NoteV1.Note("a")) }
    let before = store.bytes
    let error = #expect(throws: StoreError.self) { try store.open(Schema(versionedSchema: NoteV2.self)) { _ in } }
    #expect(
      error?.explanation.hasSuffix(
        "The store's models are of version 1.0.0, these are of 2.0.0, and no migration plan was given: where there is one, give "
          + "it to the container.") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
  }

  @Test func aPlanWithoutAStageOrVersionSaysSo() throws {
    let store = try firstStore()
    _ = try store.open(Schema(versionedSchema: LibraryV2.self), plan: PlanToTwo.self) { _ in }
    let gapped = store.failure(LibraryV3.Book.self, plan: GappedPlan.self) as? StoreError
    #expect(gapped?.code == .incompletePlan)
    #expect(gapped?.explanation.contains("no stage begins at 2.0.0") == true)
    let other = store.failure(LibraryV4.Book.self, plan: GappedPlan.self) as? StoreError
    #expect(other?.code == .incompletePlan)
  }

  @Test func aNewerStoreIsRefusedByOlderCode() throws {
    let store = try firstStore()
    try store.open(Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self) { _ in }
    do {
      try store.open(Schema(versionedSchema: LibraryV2.self), plan: PlanToTwo.self) { _ in }
      Issue.record("It opened.")
    } catch SwiftDataError.backwardMigration {
    }
    do {
      try store.open(Schema(versionedSchema: LibraryV2.self)) { _ in }
      Issue.record("It opened.")
    } catch SwiftDataError.backwardMigration {
    }
    // Which models are others is said.
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema(versionedSchema: LibraryV2.self), plan: PlanToTwo.self) { _ in }
    }
    let said = error?.explanation ?? ""
    #expect(said.contains("this program's are of version 2.0.0 and differ in Author, Book, Tag."), "\(said)")
  }

  @Test func aStoreOfAnUnknownVersionIsRefused() throws {
    let store = try TemporaryStore()
    try store.open(Odd.Book.self) { $0.insert(Odd.Book(colour: "red")) }
    do {
      try store.open(Schema(versionedSchema: LibraryV2.self), plan: PlanToTwo.self) { _ in }
      Issue.record("It opened.")
    } catch SwiftDataError.unknownSchema {
    }
  }

  @Test func theFormerStoreStaysUntilTheNewOneWasOpened() throws {
    let store = try firstStore()
    let former = store.folder.file("test.store.former")
    let options = MigrationOptions(keepsPreviousStore: true)
    try store.open(Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self, options: options) { _ in }
    let copy = try ModelContainer(
      for: Schema(versionedSchema: LibraryV1.self), configurations: ModelConfiguration(url: former))
    #expect(try ModelContext(copy).fetchCount(FetchDescriptor<LibraryV1.Tag>()) == 3)
    let rights = try FileManager.default.attributesOfItem(atPath: former.path)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    try store.open(Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self) { _ in }
    #expect(!FileManager.default.fileExists(atPath: former.path))
  }

  @Test func progressTellsRowsAndCancellingLeavesTheStore() throws {
    let store = try firstStore()
    let before = store.bytes
    let cancelled = Progress(totalUnitCount: 0)
    cancelled.cancel()
    let error = store.failure(
      LibraryV4.Book.self, LibraryV4.Author.self, plan: LibraryPlan.self, options: MigrationOptions(progress: cancelled)
    )
    #expect(error is CancellationError)
    #expect(store.bytes == before)
    let progress = Progress(totalUnitCount: 0)
    try store.open(
      Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self, options: MigrationOptions(progress: progress)
    ) { _ in }
    #expect(progress.totalUnitCount > 3)
    #expect(progress.completedUnitCount == progress.totalUnitCount)
  }

  /// Both versions look the same, and a stage has given the values another meaning.
  @Test(arguments: [true, false]) func aLaterNumberIsRefusedWhateverTheShape(allowsSave: Bool) throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: PricesV1.self)) { $0.insert(PricesV1.Price(amount: 3)) }
    func open(_ schema: Schema) throws -> [Int] {
      let container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(url: store.url, allowsSave: allowsSave))
      return try ModelContext(container).all(PricesV1.Price.self).map(\.amount)
    }
    #expect(try open(Schema(versionedSchema: PricesV1.self)) == [3])
    try store.open(Schema(versionedSchema: PricesV2.self), plan: PricesPlan.self) { _ in }
    let before = store.bytes
    let error = #expect(throws: StoreError.self) { try open(Schema(versionedSchema: PricesV1.self)) }
    #expect(error?.code == .newerSchema)
    #expect(error?.explanation.contains("version 1.1.0") == true)
    #expect(store.bytes == before)
    // While somebody has it open, too.
    let newer = try ModelContainer(
      for: Schema(versionedSchema: PricesV2.self),
      configurations: ModelConfiguration(url: store.url, allowsSave: allowsSave))
    #expect(throws: StoreError.self) { try open(Schema(versionedSchema: PricesV1.self)) }
    withExtendedLifetime(newer) {}
    // Who has no number of his own is not asked for one.
    #expect(try open(Schema([PricesV1.Price.self])) == [300])
  }

  /// A file has one number, so models of two must not find that out once there are objects of both.
  @Test func aLaterNumberOfOtherModelsIsRefusedBeforeThereAreObjects() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: LibraryV4.self)) { _ in }
    let error = #expect(throws: StoreError.self) { try store.open(Schema(versionedSchema: PricesV1.self)) { _ in } }
    #expect(error?.code == .newerSchema)
    #expect(try !store.tables().contains("Price"))
  }

  @Test func anOlderProgramWithoutNumbersIsToldOfANewerOne() throws {
    let store = try TemporaryStore()
    try store.open(NewerPeople.Person.self, NewerPeople.Pet.self) { $0.insert(NewerPeople.Person(fullName: "Ada")) }
    let error = store.failure(OlderPeople.Person.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("Person.name is new") == true)
    #expect(
      error?.explanation.contains("(Person.fullName, Pet): a newer program may have made that") == true,
      "\(String(describing: error))")
    // Whose store has nothing that his models lack is the newer one.
    let own = try TemporaryStore()
    try own.open(OlderPeople.Person.self) { $0.insert(OlderPeople.Person(name: "Ada")) }
    let lacking = own.failure(LaterPeople.Person.self) as? StoreError
    #expect(lacking?.explanation.contains("Person.age is new") == true)
    #expect(lacking?.explanation.contains("newer program") == false)
    // So is he who has a number, or the number would have refused him.
    let numbered = #expect(throws: StoreError.self) { try store.open(Schema(versionedSchema: PeopleV2.self)) { _ in } }
    #expect(numbered?.explanation.contains("Person.name is new") == true)
    #expect(numbered?.explanation.contains("newer program") == false)
  }

  @Test func aStoreThatAnotherProcessWritesToMayBeMigratedByIt() throws {
    let store = try firstStore()
    let other = try Connection(path: store.url.path)
    defer { other.close() }
    try other.execute("BEGIN IMMEDIATE")
    var options = StoreOptions()
    options.settings.busyTimeout = .milliseconds(100)
    let error = StoreOptions.$current.withValue(options) {
      store.failure(LibraryV4.Book.self, LibraryV4.Author.self, plan: LibraryPlan.self) as? StoreError
    }
    #expect(error?.code == .busy && error?.underlying?.code == .busy)
    #expect(error?.explanation.contains("may be migrating the store") == true, "\(String(describing: error))")
    #expect(error?.explanation.contains("open it again later") == true)
    try other.execute("ROLLBACK")
    #expect(store.failure(LibraryV4.Book.self, LibraryV4.Author.self, plan: LibraryPlan.self) == nil)
  }

  @Test func aReadOnlyStoreIsNotMigrated() throws {
    let store = try firstStore()
    #expect(throws: StoreError.self) {
      try ModelContainer(
        for: Schema(versionedSchema: LibraryV4.self), migrationPlan: LibraryPlan.self,
        configurations: ModelConfiguration(url: store.url, allowsSave: false))
    }
  }
}

/// Two versions of one shape: amounts are in whole units, then in hundredths.
enum PricesV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Price.self] }

  @Model final class Price {
    var amount: Int
    init(amount: Int) { self.amount = amount }
  }
}

enum PricesV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
  static var models: [any PersistentModel.Type] { [PricesV1.Price.self] }
}

enum PricesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PricesV1.self, PricesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PricesV1.self, toVersion: PricesV2.self, willMigrate: nil,
        didMigrate: { context in
          for price in try context.all(PricesV1.Price.self) { price.amount *= 100 }
        })
    ]
  }
}

/// A model that a newer program has renamed a property of, and its like with a property more.
enum OlderPeople {
  @Model final class Person {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum NewerPeople {
  @Model final class Person {
    @Attribute(originalName: "name") var fullName: String
    init(fullName: String) { self.fullName = fullName }
  }

  @Model final class Pet {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum LaterPeople {
  @Model final class Person {
    var name: String
    var age: Int
    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }
}

enum PeopleV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [OlderPeople.Person.self] }
}

enum PlanToTwo: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
  static var stages: [MigrationStage] { [LibraryPlan.oneToTwo] }
}

enum PlanToThree: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self] }
  static var stages: [MigrationStage] { [LibraryPlan.oneToTwo, LibraryPlan.twoToThree] }
}

enum Odd {
  @Model final class Book {
    var colour: String
    init(colour: String) { self.colour = colour }
  }
}
