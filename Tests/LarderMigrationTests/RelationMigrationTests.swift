import Foundation
import SwiftData
import Testing

/// What is related, in words: `Ann: a b`.
@Suite struct RelationMigrationTests {
  private func store(unowned: Bool = true) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Mirrored.Owner.self) { context in
      for (name, crates) in [("Ann", ["c", "a", "b"]), ("Ben", ["d"]), ("Cy", [])] {
        let owner = Mirrored.Owner(name: name)
        context.insert(owner)
        owner.crates = crates.map { Mirrored.Crate(name: $0) }
      }
      if unowned { context.insert(Mirrored.Crate(name: "e")) }
    }
    return store
  }

  private func inWords<Owner, Crate>(
    _ owners: [Owner], _ name: KeyPath<Owner, String>, _ crates: (Owner) -> [Crate], _ crate: KeyPath<Crate, String>
  ) -> [String] {
    owners.map { "\($0[keyPath: name]): \(crates($0).map { $0[keyPath: crate] }.joined(separator: " "))" }.sorted()
  }

  private static let ordered = ["Ann: c a b", "Ben: d", "Cy: "]

  @Test func aMirrorGoesAndComesBackWithTheOrder() throws {
    let store = try store()
    let oneWay = try store.open(OneWay.Crate.self) { context in
      try context.all(OneWay.Crate.self).map { "\($0.name) \($0.owner?.name ?? "nobody")" }.sorted()
    }
    #expect(oneWay == ["a Ann", "b Ann", "c Ann", "d Ben", "e nobody"])
    let back = try store.open(Mirrored.Owner.self) { context in
      inWords(try context.all(Mirrored.Owner.self), \.name, { $0.crates.sorted { $0.name < $1.name } }, \.name)
    }
    // The order was that of the list which was taken away.
    #expect(back == ["Ann: a b c", "Ben: d", "Cy: "])
  }

  @Test func aToOneBecomesAListOfPairsAndBack() throws {
    let store = try store()
    let shared = try store.open(Shared.Owner.self) { context -> [String] in
      let crates = try context.all(Shared.Crate.self).map { "\($0.name) \($0.owners.map(\.name))" }.sorted()
      #expect(crates == ["a [\"Ann\"]", "b [\"Ann\"]", "c [\"Ann\"]", "d [\"Ben\"]", "e []"])
      return inWords(try context.all(Shared.Owner.self), \.name, \.crates, \.name)
    }
    #expect(shared == Self.ordered)
    let back = try store.open(Mirrored.Owner.self) { context in
      inWords(try context.all(Mirrored.Owner.self), \.name, \.crates, \.name)
    }
    #expect(back == Self.ordered)
  }

  @Test func aListOfPairsBecomesOneWayAndBack() throws {
    let store = try store()
    let listed = try store.open(Listed.Owner.self) { context in
      inWords(try context.all(Listed.Owner.self), \.name, \.crates, \.name)
    }
    #expect(listed == Self.ordered)
    let shared = try store.open(Shared.Owner.self) { context in
      inWords(try context.all(Shared.Owner.self), \.name, \.crates, \.name)
    }
    #expect(shared == Self.ordered)
    let mirrored = try store.open(Mirrored.Owner.self) { context in
      inWords(try context.all(Mirrored.Owner.self), \.name, \.crates, \.name)
    }
    #expect(mirrored == Self.ordered)
  }

  @Test func severalWhereOneMayBeAreRefused() throws {
    let store = try store()
    let single = store.failure(Single.Owner.self) as? StoreError
    #expect(
      single?.explanation.contains("Owner.crate is a to-one, and there are objects that have several (1)") == true)
    try store.open(Shared.Owner.self) { context in
      let owners = try context.all(Shared.Owner.self).sorted { $0.name < $1.name }
      owners[1].crates.append(owners[0].crates[0])
    }
    let before = store.bytes
    let mirrored = store.failure(Mirrored.Owner.self) as? StoreError
    #expect(
      mirrored?.explanation.contains("Crate.owner is a to-one, and there are objects that have several (1)") == true)
    #expect(store.bytes == before)
    try store.open(Shared.Owner.self) { context in
      for owner in try context.all(Shared.Owner.self) { owner.crates = Array(owner.crates.suffix(1)) }
    }
    let one = try store.open(Single.Owner.self) { context in
      try context.all(Single.Owner.self).map { "\($0.name) \($0.crate?.name ?? "none") \($0.crate?.owner?.name ?? "")" }
    }
    #expect(one.sorted() == ["Ann b Ann", "Ben c Ben", "Cy none "])
  }

  @Test func aToOneThatIsNoLongerOptionalIsRefusedWhereSomeHaveNone() throws {
    let store = try store()
    let error = store.failure(Required.Owner.self) as? StoreError
    #expect(error?.explanation.contains("Crate.owner is not optional, and there are rows without one (1)") == true)
    let whole = try self.store(unowned: false)
    let required = try whole.open(Required.Owner.self) { context in
      inWords(try context.all(Required.Owner.self), \.name, \.crates, \.name)
    }
    #expect(required == Self.ordered)
  }

  @Test func entitiesAndRelationshipsAreRenamed() throws {
    let store = try store()
    let identifiers = try store.open(Mirrored.Owner.self) { try $0.all(Mirrored.Owner.self).count }
    #expect(identifiers == 3)
    let renamed = try store.open(Renamed.Keeper.self) { context in
      inWords(try context.all(Renamed.Keeper.self), \.title, \.boxes, \.name)
    }
    #expect(renamed == Self.ordered)
  }

  @Test func everyFormLeadsToEveryOther() throws {
    typealias Reading = (TemporaryStore) throws -> [String]
    let forms: [(String, Reading)] = [
      (
        "mirrored",
        { store in
          try store.open(Mirrored.Owner.self) { context in
            self.inWords(
              try context.all(Mirrored.Owner.self), \.name, { $0.crates.sorted { $0.name < $1.name } }, \.name)
          }
        }
      ),
      (
        "listed",
        { store in
          try store.open(Listed.Owner.self) { context in
            self.inWords(try context.all(Listed.Owner.self), \.name, { $0.crates.sorted { $0.name < $1.name } }, \.name)
          }
        }
      ),
      (
        "shared",
        { store in
          try store.open(Shared.Owner.self) { context in
            self.inWords(try context.all(Shared.Owner.self), \.name, { $0.crates.sorted { $0.name < $1.name } }, \.name)
          }
        }
      ),
      (
        "required",
        { store in
          try store.open(Required.Owner.self) { context in
            self.inWords(
              try context.all(Required.Owner.self), \.name, { $0.crates.sorted { $0.name < $1.name } }, \.name)
          }
        }
      ),
    ]
    for (first, begin) in forms {
      for (second, end) in forms {
        let store = try store(unowned: false)
        #expect(try begin(store) == ["Ann: a b c", "Ben: d", "Cy: "], "\(first)")
        #expect(try end(store) == ["Ann: a b c", "Ben: d", "Cy: "], "\(first) → \(second)")
      }
    }
  }

  @Test func severalByTheSameKeyAreRefusedWhereOneMayBe() throws {
    let store = try TemporaryStore()
    try store.open(OneWay.Crate.self) { context in
      let owner = OneWay.Owner(name: "Ann")
      for name in ["a", "b"] { context.insert(OneWay.Crate(name: name, owner: owner)) }
    }
    let error = store.failure(SingleKey.Owner.self) as? StoreError
    #expect(error?.explanation.contains("Owner.crate is a to-one, and there are objects that have several (1)") == true)
    try store.open(OneWay.Crate.self) { context in
      for crate in try context.all(OneWay.Crate.self) where crate.name == "b" { crate.owner = nil }
    }
    let crates = try store.open(SingleKey.Owner.self) { try $0.all(SingleKey.Owner.self).map { $0.crate?.name } }
    #expect(crates == ["a"])
  }
}
