import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

@Model class Vault {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var code: String?
  var owner: String
  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

@Model final class SafeVault: Vault {
  var depth = 1
  override init(_ number: Int, _ owner: String) { super.init(number, owner) }
}

/// Random edits of unique attributes, here and elsewhere: either all keys are apart afterwards and everything is saved, or two
/// rows would have one key, the error says so, and nothing is written or lost.
@Suite struct KeyEditTests {
  private struct Row: Equatable {
    var number: Int
    var code: String?
    var owner: String
  }

  private final class Run {
    let store: TestStore
    let mine: ModelContext
    let theirs: ModelContext
    let policy: MergePolicy
    private var random: SeededGenerator
    private var here: [Vault] = []
    private var there: [Vault] = []
    /// What mine last knew of a row as it is stored.
    private var known: [PersistentIdentifier: Row] = [:]
    private(set) var counts = (saved: 0, refused: 0)

    init(_ place: StoreLocation, _ policy: MergePolicy, _ seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      self.policy = policy
      store = try TestStore(place, Vault.self, SafeVault.self)
      _ = try store.saved((0..<6).map { $0 % 2 == 0 ? Vault($0, "o\($0)") : SafeVault($0, "o\($0)") })
      (mine, theirs) = (store.context(), store.context())
      mine.mergePolicy = policy
      mine.automaticallyMergesChanges = false
      theirs.mergePolicy = .mergeByPropertyObjectTrump
      here = try mine.fetch(FetchDescriptor())
      there = try theirs.fetch(FetchDescriptor())
      known = try rows()
    }

    private func rows() throws -> [PersistentIdentifier: Row] {
      let context = store.context()
      return Dictionary(
        uniqueKeysWithValues: try context.fetch(FetchDescriptor<Vault>()).map {
          ($0.persistentModelID, Row(number: $0.number, code: $0.code, owner: $0.owner))
        })
    }

    private func areApart(_ rows: some Collection<Row>) -> Bool {
      let codes = rows.compactMap(\.code)
      return Set(rows.map(\.number)).count == rows.count && Set(codes).count == codes.count
    }

    private func edit(_ vaults: [Vault]) {
      for vault in vaults where random.chance(45) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: vault.number = Int.random(in: 0..<7, using: &random)
        case 2: vault.code = random.chance(30) ? nil : "c\(Int.random(in: 0..<7, using: &random))"
        default: vault.owner = "e\(Int.random(in: 0..<1000, using: &random))"
        }
      }
    }

    func turn() throws {
      if random.chance(60) {
        _ = try theirs.fetch(FetchDescriptor<Vault>())
        edit(there)
        do { try theirs.save() } catch let error as SaveError where error.code == .uniquenessConflict {
          theirs.rollback()
        }
      }
      edit(here)
      let stored = try rows()
      var wanted = stored
      for vault in here where vault.hasChanges {
        let (own, row, before) = (
          vault.persistentModelID, stored[vault.persistentModelID], known[vault.persistentModelID]
        )
        guard var row, let before else { continue }
        let now = Row(number: vault.number, code: vault.code, owner: vault.owner)
        if policy == .overwrite, isChangedElsewhere(vault) {
          row = now
        } else {
          if now.number != before.number { row.number = now.number }
          if now.code != before.code { row.code = now.code }
          if now.owner != before.owner { row.owner = now.owner }
        }
        wanted[own] = row
      }
      let edited = here.filter(\.hasChanges)
      let values = edited.map { Row(number: $0.number, code: $0.code, owner: $0.owner) }
      do {
        try mine.save()
        counts.saved += 1
        try #require(areApart(wanted.values), "two rows would have one key: \(wanted.values)")
        let saved = try rows()
        try #require(saved == wanted, "stored \(saved), and not \(wanted)")
        try #require(!mine.hasChanges)
      } catch let error as SaveError {
        counts.refused += 1
        try #require(error.code == .uniquenessConflict, "\(error)")
        try #require(!areApart(wanted.values), "nothing is in the way: \(error), \(wanted.values)")
        try #require(error.identifiers.count > 1 && !error.properties.isEmpty, "\(error)")
        try #require(edited.contains { $0.persistentModelID == error.identifiers[0] }, "\(error)")
        let unsaved = try rows()
        try #require(unsaved == stored, "something was written: \(unsaved), and not \(stored)")
        try #require(edited.map { Row(number: $0.number, code: $0.code, owner: $0.owner) } == values, "an edit is lost")
        try #require(edited.allSatisfy { $0.hasChanges })
        mine.rollback()
      }
      here = try mine.fetch(FetchDescriptor())
      known = Dictionary(
        uniqueKeysWithValues: here.map {
          ($0.persistentModelID, Row(number: $0.number, code: $0.code, owner: $0.owner))
        })
    }

    private func isChangedElsewhere(_ vault: Vault) -> Bool {
      guard
        let number = try? store.value(
          "SELECT larder_version FROM Vault WHERE larder_id = \(vault._$header.pointee.rowID)")
      else { return false }
      return number != .integer(vault._$header.pointee.version)
    }
  }

  @Test(
    .directly("what another context saves is taken over before a save"), arguments: StoreLocation.allCases,
    [MergePolicy.overwrite, .mergeByPropertyObjectTrump])
  func editsAreSavedOrRefused(_ place: StoreLocation, _ policy: MergePolicy) throws {
    var counts = (saved: 0, refused: 0)
    for history in 0..<UInt64(Share.rounds(of: 2_000, atLeast: 20)) {
      let seed = Share.seed &+ history
      do {
        let run = try Run(place, policy, seed)
        for _ in 0..<12 { try run.turn() }
        counts = (counts.saved + run.counts.saved, counts.refused + run.counts.refused)
      } catch {
        Issue.record("LARDER_SEED=\(seed): \(error)")
        return
      }
    }
    #expect(counts.saved > 10 && counts.refused > 10)
  }
}
