import LarderData
import SwiftData

// Look-ups while much is pending: what one of them costs is not to grow with that.

extension Suite {
  /// From the fewer objects that are pending to the more, eight times as many.
  private static let pendingSizes = [2_000, 16_000]

  private enum Lookup: String, CaseIterable {
    case identifier = "by identifier"
    case list = "by a list of identifiers"
    case keys = "by one of two keys"
  }

  func pending() async throws {
    for count in Self.pendingSizes where count <= records.count {
      let some = Array(order.lazy.filter { $0 < count })
      let (limit, container) = (try stores.limit(.flat), try stores.container())
      try limit.insert(records, count)
      func measure(_ name: String, _ ours: (ModelContext) throws -> Void) async throws {
        try await self.measure(Self.name(name, count), budget: nil, rows: count) {
          _ = try limit.lookUp(records, some, oneTransaction: true)
        } ours: {
          // Each begins with nothing pending.
          let context = ModelContext(container)
          context.autosaveEnabled = false
          try ours(context)
          context.rollback()
        }
      }
      for lookup in Lookup.allCases {
        try await measure(Self.name(lookup)) { context in
          var last: Quake?
          for dto in records.dtos.prefix(count) {
            if let last {
              let found = try context.fetch(FetchDescriptor(predicate: Self.predicate(lookup, last)))
              try require(found.count == 1 && found[0] === last, "the inserted object is found")
            }
            let quake = Self.quake(dto)
            context.insert(quake)
            last = quake
          }
        }
      }
      let saving = ModelContext(container)
      for dto in records.dtos.prefix(count) { saving.insert(Self.quake(dto)) }
      try saving.save()
      try await measure(Self.otherKeys) { context in
        for dto in records.dtos.prefix(count) {
          let code = dto.code
          let found = try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code }))
          try require(found.count == 1, "the row is found")
          found.first?.code = "another \(code)"
        }
      }
      try await measure(Self.firstOfQueue) { context in
        var first = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code, comparator: .lexical)])
        first.fetchLimit = 1
        var taken = 0
        while let quake = try context.fetch(first).first {
          context.delete(quake)
          taken += 1
        }
        try require(taken == count, "each is taken once")
      }
      try stores.clear()
    }
  }

  private static let otherKeys = "found by key, given another"
  private static let firstOfQueue = "the first of a queue, deleted"

  private static func name(_ lookup: Lookup) -> String { "look-up \(lookup.rawValue) among inserted objects" }
  private static func name(_ what: String, _ count: Int) -> String { "\(what), \(count)" }

  private static func quake(_ dto: QuakeDTO) -> Quake {
    Quake(
      code: dto.code, magnitude: dto.magnitude, time: dto.time, place: dto.place, longitude: dto.longitude,
      latitude: dto.latitude)
  }

  private static func predicate(_ lookup: Lookup, _ quake: Quake) -> Predicate<Quake> {
    let (id, code, place) = (quake.persistentModelID, quake.code, "nowhere")
    let ids = [id]
    switch lookup {
    case .identifier: return #Predicate<Quake> { $0.persistentModelID == id }
    case .list: return #Predicate<Quake> { ids.contains($0.persistentModelID) }
    case .keys: return #Predicate<Quake> { $0.code == code || $0.place == place }
    }
  }

  /// From the fewer to the more.
  func pendingGrowths() -> [Growth] {
    guard let fewest = Self.pendingSizes.min(), let most = Self.pendingSizes.max() else { return [] }
    return (Lookup.allCases.map { Self.name($0) } + [Self.otherKeys, Self.firstOfQueue]).compactMap { what in
      Growth(
        what, from: Self.name(what, fewest), to: Self.name(what, most), budget: Budget.pendingGrowth, in: measurements)
    }
  }
}

extension Suite {
  /// What is to cost no more each where there is more of it: look-ups, walks, and the bytes of a string.
  func linearGrowths() -> [Growth] { pendingGrowths() + [walkGrowth(), stringGrowth()].compactMap { $0 } }
}
