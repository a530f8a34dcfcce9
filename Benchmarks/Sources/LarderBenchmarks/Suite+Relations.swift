import SwiftData

// A to-many of ten tremors for each region.

extension Suite {
  private static let tremors = 10
  /// So many regions are asked for by name. Each finds its ten tremors, so fewer than the look-ups are enough; with a few
  /// hundred, what is measured is how the caches stand when the other side has just run.
  private static let namesAskedFor = 20_000
  /// The part of the regions that have a tremor above the magnitude that is asked for.
  private static let matchingPart = 0.1

  func relationships() async throws {
    let regions = records.count / Self.tremors
    guard regions > 0 else { return }
    try await insertTremors(regions)

    let limit = try stores.relationLimit()
    let container = try stores.relationContainer()
    try limit.insert(records, regions: regions, tremors: Self.tremors)
    let writing = ModelContext(container)
    for index in 0..<regions { insertGraph(index, into: writing) }
    try writing.save()

    try await read(limit, container, regions)
    try await filterByName(limit, container, regions)
    try await filterByMagnitude(limit, container, regions)
    try await deleteRegions(limit, container, regions)
  }

  private func dtos(_ region: Int) -> ArraySlice<QuakeDTO> {
    records.dtos[region * Self.tremors..<(region + 1) * Self.tremors]
  }

  private func makeRegion(_ index: Int) -> Region {
    let first = records.dtos[index * Self.tremors]
    return Region(name: first.code, place: first.place)
  }

  // MARK: - Inserts

  /// Put together beforehand, and inserted by the region.
  private func insertGraph(_ index: Int, into context: ModelContext) {
    let region = makeRegion(index)
    region.tremors = dtos(index).map { Tremor($0) }
    context.insert(region)
  }

  private func insertByToOne(_ index: Int, into context: ModelContext) {
    let region = makeRegion(index)
    context.insert(region)
    for dto in dtos(index) { context.insert(Tremor(dto, region: region)) }
  }

  private func insertByAppending(_ index: Int, into context: ModelContext) {
    let region = makeRegion(index)
    context.insert(region)
    for dto in dtos(index) { region.tremors.append(Tremor(dto)) }
  }

  private func insertTremors(_ regions: Int) async throws {
    let ways: [(String, (Int, ModelContext) -> Void)] = [
      ("to-many: insert + save, put together before", insertGraph),
      ("to-many: insert + save, by the to-one", insertByToOne),
      ("to-many: insert + save, appended", insertByAppending),
    ]
    for (name, insert) in ways {
      let limit = try stores.relationLimit()
      let context = ModelContext(try stores.relationContainer())
      context.autosaveEnabled = false
      try await measure(name, budget: Budget.relatedInsert, rows: regions * Self.tremors) {
        try limit.insert(records, regions: regions, tremors: Self.tremors)
      } ours: {
        for index in 0..<regions { insert(index, context) }
        try context.save()
      }
      try require(
        try context.fetchCount(FetchDescriptor<Tremor>()) == regions * Self.tremors, "the graph is stored")
    }
  }

  // MARK: - Reading through the relationship

  private func read(_ limit: RelationLimit, _ container: ModelContainer, _ regions: Int) async throws {
    var prefetching = FetchDescriptor<Region>()
    prefetching.relationshipKeyPathsForPrefetching = [\.tremors]
    // Both sides' page caches are warm.
    _ = try limit.fetch()
    _ = try ModelContext(container).fetch(prefetching)

    let rows: [(name: String, budget: Double, descriptor: FetchDescriptor<Region>)] = [
      ("to-many: fetch with prefetch, each member read", Budget.prefetch, prefetching),
      ("to-many: walk by faults, each member read", Budget.walk, FetchDescriptor()),
    ]
    for row in rows {
      let context = ModelContext(container)
      var limitSum = 0.0
      var sum = 0.0
      var tremors = 0
      var fetched: [Region] = []
      try await measure(row.name, budget: row.budget, rows: regions * Self.tremors) {
        limitSum = try limit.fetch().sum
      } ours: {
        fetched = try context.fetch(row.descriptor)
        for region in fetched {
          for tremor in region.tremors {
            sum += tremor.magnitude
            tremors += 1
          }
        }
      }
      try require(sum == limitSum && tremors == regions * Self.tremors, "both sides read the same through a to-many")
    }
  }

  // MARK: - Filters

  /// Measures a filter, or notes that such a predicate is not supported yet.
  private func measureFilter(
    _ name: String, rows: Int, limit: () throws -> Void, ours: () throws -> Void
  ) async throws {
    do {
      // Also warms the page caches.
      try ours()
    } catch SwiftDataError.unsupportedPredicate {
      return measurements.notYet(name)
    }
    try limit()
    try await measure(name, budget: Budget.relatedFilter, rows: rows, limit: limit, ours: ours)
  }

  private func filterByName(_ limit: RelationLimit, _ container: ModelContainer, _ regions: Int) async throws {
    let firsts = order.map { $0 / Int32(Self.tremors) * Int32(Self.tremors) }
    let asked = Array(firsts.filter { $0 < regions * Self.tremors }.prefix(Self.namesAskedFor))
    let context = ModelContext(container)
    var sums = (ours: 0.0, limit: 0.0)
    let name = "to-many: filter through the to-one, each query"
    try await measureFilter(name, rows: asked.count) {
      sums.limit = try limit.tremors(inRegionsNamedBy: asked, of: records)
    } ours: {
      sums.ours = 0
      for index in asked {
        let code = records.dtos[Int(index)].code
        let predicate = #Predicate<Tremor> { $0.region?.name == code }
        for tremor in try context.fetch(FetchDescriptor(predicate: predicate)) { sums.ours += tremor.magnitude }
      }
    }
    guard measurements[name] != nil else { return }
    // The order within a region is not asked for, and decides how the sum is rounded.
    try require(abs(sums.ours - sums.limit) < 1e-6 * Double(asked.count), "both sides find the same by the to-one")
  }

  private func filterByMagnitude(_ limit: RelationLimit, _ container: ModelContainer, _ regions: Int) async throws {
    let greatest = (0..<regions).map { dtos($0).lazy.map(\.magnitude).max() ?? 0 }.sorted()
    let magnitude = greatest[Int(Double(regions) * (1 - Self.matchingPart))]
    let context = ModelContext(container)
    var found = (count: 0, sum: 0.0)
    var limitFound = found
    let name = "to-many: filter through the to-many"
    try await measureFilter(name, rows: regions) {
      limitFound = try limit.regions(withTremorAbove: magnitude)
    } ours: {
      let predicate = #Predicate<Region> { $0.tremors.contains { $0.magnitude > magnitude } }
      let regions = try context.fetch(FetchDescriptor(predicate: predicate))
      found = (regions.count, regions.reduce(0) { $0 + Double($1.name.utf8.count) })
    }
    guard measurements[name] != nil else { return }
    try require(found == limitFound, "both sides find the same by the to-many")
  }

  // MARK: - Deleting

  private func deleteRegions(_ limit: RelationLimit, _ container: ModelContainer, _ regions: Int) async throws {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let fetched = try context.fetch(FetchDescriptor<Region>())
    // Rows are numbered from 1 in an empty store.
    let rows = (0..<Int64(regions)).map { $0 + 1 }
    try await measure("to-many: delete by cascade", budget: Budget.cascade, rows: regions * Self.tremors) {
      try limit.delete(rows)
    } ours: {
      for region in fetched { context.delete(region) }
      try context.save()
    }
    let left = try ModelContext(container).fetchCount(FetchDescriptor<Tremor>())
    try require(left == 0 && limit.fetch().tremors == 0, "a deletion takes the members with it")
  }
}
