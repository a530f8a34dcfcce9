import LarderData
import SwiftData
import Testing

private enum LendingV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Reader.self, Loan.self, Desk.self] }

  @Model
  final class Reader {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Loan.reader) var loans: [Loan] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Loan {
    var title: String
    var reader: Reader?
    init(title: String) { self.title = title }
  }

  @Model
  final class Desk {
    var number: Int
    init(number: Int) { self.number = number }
  }
}

private enum LendingV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Reader.self, Loan.self] }
  typealias Loan = LendingV1.Loan

  @Model
  final class Reader {
    var name: String
    var email: String?
    @Relationship(deleteRule: .cascade, inverse: \Loan.reader) var loans: [Loan] = []
    init(name: String) { self.name = name }
  }
}

private enum LendingV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Desk.self, Reader.self, Loan.self] }
  typealias Reader = LendingV1.Reader
  typealias Loan = LendingV1.Loan

  @Model
  final class Desk {
    var number: Int
    var floor = 0
    init(number: Int) { self.number = number }
  }
}

/// Versions that take a model over from the version before by an alias.
@Suite struct VersionAliasTests {
  /// A class leads to the classes that its relationships name, which are those of its own version.
  @Test(arguments: [false, true]) func modelToDeclareAnewIsNamed(isReversed: Bool) {
    let models = isReversed ? LendingV2.models.reversed() : LendingV2.models
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema(models, version: LendingV2.versionIdentifier),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error?.explanation ?? ""
    #expect(text.contains("LendingV1.Loan.reader leads to"), "\(text)")
    #expect(text.contains("Declare Loan anew beside"), "\(text)")
    // One reason, and no others that follow from it.
    #expect(!text.contains("inverse"), "\(text)")
  }

  @Test func modelsThatAreNotRelatedAreTakenOver() throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: LendingV3.self), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let loan = LendingV3.Loan(title: "Emma")
    loan.reader = LendingV3.Reader(name: "Ann")
    context.insert(loan)
    context.insert(LendingV3.Desk(number: 1))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<LendingV3.Reader>()).map(\.loans.count) == [1])
  }
}
