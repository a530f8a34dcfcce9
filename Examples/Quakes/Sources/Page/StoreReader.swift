import SwiftData

/// Reads the store for the page, in a context of the calling thread's own.
struct StoreReader: QuakeReading {
  let container: ModelContainer

  func count() throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Quake>())
  }

  func content(for query: PageQuery) throws -> QuakeContent {
    let context = ModelContext(container)
    let matching = try context.fetch(Self.descriptor(for: query))
    return QuakeContent(
      matching: matching.map(QuakeRow.init),
      total: try context.fetchCount(FetchDescriptor<Quake>()),
      largest: try Self.first(by: Self.sort(for: PageQuery(sort: .magnitude)), in: context).map(QuakeRow.init),
      newest: try Self.first(by: Self.sort(for: PageQuery(sort: .time)), in: context)?.time)
  }

  /// The store does the work: what is asked for becomes a predicate and sort descriptors.
  static func descriptor(for query: PageQuery) -> FetchDescriptor<Quake> {
    FetchDescriptor(predicate: predicate(for: query), sortBy: sort(for: query))
  }

  private static func predicate(for query: PageQuery) -> Predicate<Quake>? {
    let text = query.text
    switch (query.minimum, text.isEmpty) {
    case (nil, true): return nil
    case (let minimum?, true): return #Predicate { $0.magnitude >= minimum }
    case (nil, false): return #Predicate { $0.location.name.localizedStandardContains(text) }
    case (let minimum?, false):
      return #Predicate { $0.magnitude >= minimum && $0.location.name.localizedStandardContains(text) }
    }
  }

  private static func sort(for query: PageQuery) -> [SortDescriptor<Quake>] {
    let order: SortOrder = query.order == .ascending ? .forward : .reverse
    // The time, and at last the code, decide between equals: the order is the same each time.
    let rest = [SortDescriptor(\Quake.time, order: .reverse), SortDescriptor(\Quake.code, comparator: .lexical)]
    return switch query.sort {
    case .time: [SortDescriptor(\Quake.time, order: order), SortDescriptor(\Quake.code, comparator: .lexical)]
    case .magnitude: [SortDescriptor(\Quake.magnitude, order: order)] + rest
    case .place: [SortDescriptor(\Quake.location.name, order: order)] + rest
    }
  }

  private static func first(by sort: [SortDescriptor<Quake>], in context: ModelContext) throws -> Quake? {
    var descriptor = FetchDescriptor<Quake>(sortBy: sort)
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }
}

extension QuakeRow {
  init(_ quake: Quake) {
    let location = quake.location
    self.init(
      code: quake.code, magnitude: quake.magnitude, time: quake.time, place: location.name,
      longitude: location.longitude, latitude: location.latitude)
  }
}
