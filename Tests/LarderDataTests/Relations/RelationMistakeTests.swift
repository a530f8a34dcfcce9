import Foundation
import LarderData
import LarderModels
import Testing

private enum Mistaken {
  @Model
  fileprivate final class Ledger {
    @Relationship(inverse: \Line.ledger) var open: [Line] = []
    @Relationship(inverse: \Line.ledger) var done: [Line] = []

    init() {}
  }

  @Model
  fileprivate final class Line {
    var ledger: Ledger?

    init() {}
  }

  /// One end names one, the other end another.
  @Model
  fileprivate final class Host {
    @Relationship(inverse: \Caller.other) var callers: [Caller] = []

    init() {}
  }

  @Model
  fileprivate final class Caller {
    @Relationship(inverse: \Host.callers) var host: Host?
    var other: Host?

    init() {}
  }

  @Model
  fileprivate final class Squad {
    @Relationship(minimumModelCount: 2, maximumModelCount: 1) var players: [Player] = []

    init() {}
  }

  @Model
  fileprivate final class Player {
    var squad: Squad?
    var number = 0

    init() {}
  }

  @Model
  fileprivate final class Coach {
    @Relationship(inverse: \Player.number) var players: [Player] = []

    init() {}
  }
}

/// What is wrong with relationships is said when a container is made, and nothing is opened.
@Suite struct RelationMistakeTests {
  private func problem(_ models: any PersistentModel.Type...) -> String? {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(models), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error == .loadIssueModelContainer)
    return error?.explanation
  }

  @Test func twoThatNameTheSameInverseAreRefused() throws {
    let said = try #require(problem(Mistaken.Ledger.self, Mistaken.Line.self))
    #expect(said.contains("Ledger.done has Line.ledger as its inverse, and that mirrors Ledger.open."))
    #expect(!said.contains("Ledger.open has"))
  }

  @Test func twoThatNameEachOtherDifferentlyAreRefused() throws {
    let said = try #require(problem(Mistaken.Host.self, Mistaken.Caller.self))
    #expect(said.contains("Caller.host has Host.callers as its inverse, and that mirrors Caller.other."))
  }

  @Test func numbersThatNothingSatisfiesAreRefused() throws {
    let said = try #require(problem(Mistaken.Squad.self, Mistaken.Player.self))
    #expect(said.contains("Squad.players has at least 2 and at most 1 objects"))
  }

  @Test func inverseThatIsNoRelationshipIsNamed() throws {
    let said = try #require(problem(Mistaken.Coach.self, Mistaken.Player.self))
    #expect(said.contains("is given as Player.number, which isn't a relationship"))
  }

  @Test func folderInPlaceOfAFileIsSaidToBeOne() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: StoreError.self) {
      try ModelContainer(for: Family.self, configurations: ModelConfiguration(url: folder))
    }
    #expect(error?.explanation.contains("That is a folder. Name a file in it.") == true)
  }
}
