import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// Random predicates and random orders, asked of rows and of what is pending: the store's answer is that of our
/// evaluator over all the objects, and Foundation's wherever that is defined.
///
/// `LARDER_SEED` repeats a run, `LARDER_SIZE` is the percentage of the 100,000 that are made.
@Suite struct RandomPredicateTests {
  static let whole = 100_000
  static let enoughForAll = 5_000

  private static var count: Int {
    let size = ProcessInfo.processInfo.environment["LARDER_SIZE"].flatMap(Double.init) ?? 1
    return max(1_000, Int(Double(whole) * size / 100))
  }

  @Test func theStoreAnswersAsTheEvaluatorDoes() throws {
    let seed = RandomRun.seed
    print("random predicates: seed \(seed), \(Self.count) predicates")
    var (coverage, problems) = (NodeCoverage(), [String]())
    // Objects are made anew now and then.
    let round = 500
    for start in stride(from: 0, to: Self.count, by: round) {
      let field = try GrainField(seed: seed &+ UInt64(start))
      for number in start..<min(start + round, Self.count) {
        var maker = PredicateMaker(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        maker.identifiers = field.identifiers
        let predicate = maker.predicate()
        do {
          if let problem = try field.check(predicate, &maker, &coverage) {
            problems.append("predicate \(number): \(problem)")
          }
        } catch {
          problems.append("predicate \(number): \(error)")
        }
      }
      if problems.count > 5 { break }
    }
    for problem in problems.prefix(5) { Issue.record("seed \(seed), \(problem)") }
    let share = 100 * coverage.wholeSQL / max(1, coverage.predicates)
    print(
      "random predicates: \(coverage.wholeSQL) of \(coverage.predicates) (\(share) %) whole in SQL, "
        + "\(coverage.comparedWithFoundation) compared with Foundation, \(coverage.failing) without a value")
    print("random predicates: seen least often: \(coverage.rarest)")
    // In fewer, chance alone may leave one out.
    if Self.count >= Self.enoughForAll { #expect(coverage.missing(atLeast: Self.count / 2_000) == []) }
    #expect(coverage.comparedWithFoundation > Self.count / 4)
  }
}

/// Grains in a store, and as many in another with edits, deletions and inserts that are pending.
private final class GrainField {
  private let saved: ModelContext
  private let mixed: ModelContext
  private let savedGrains: [Grain]
  private let mixedGrains: [Grain]
  private let containers: [ModelContainer]
  private let layout = Grain._$layout
  private let values: [ObjectIdentifier: [StoredValue]]
  /// What rows have whose edits and deletions are pending.
  private var formerValues: [[StoredValue]] = []
  let identifiers: [PersistentIdentifier]

  init(seed: UInt64) throws {
    var random = HostileValues(random: SeededGenerator(seed: seed))
    containers = try (0..<2).map { _ in
      try ModelContainer(for: Grain.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    (saved, mixed) = (ModelContext(containers[0]), ModelContext(containers[1]))
    savedGrains = (0..<40).map { Grain($0, &random) }
    for grain in savedGrains { saved.insert(grain) }
    try saved.save()
    var grains = (0..<40).map { Grain($0, &random) }
    for grain in grains { mixed.insert(grain) }
    try mixed.save()
    formerValues = try grains[20..<36].map(Self.stored)
    for grain in grains[20..<32] { grain.become(Grain(grain.serial, &random)) }
    for grain in grains[32..<36] { mixed.delete(grain) }
    grains.removeSubrange(32..<36)
    let inserted = (40..<60).map { Grain($0, &random) }
    for grain in inserted { mixed.insert(grain) }
    mixedGrains = grains + inserted
    var values: [ObjectIdentifier: [StoredValue]] = [:]
    for grain in savedGrains + mixedGrains { values[ObjectIdentifier(grain)] = try Self.stored(grain) }
    self.values = values
    identifiers = (savedGrains + mixedGrains).map(\.persistentModelID)
  }

  private static func stored(_ grain: Grain) throws -> [StoredValue] {
    let sink = RowSink()
    var binder = RowBinder(sink: sink, layout: Grain._$layout)
    grain._$bind(&binder, ~0)
    if let problem = binder.problem { throw UnstorableValue(problem.reason) }
    return sink.values
  }

  /// Whether the predicate has no value for a row that is in the store no longer as it is in the context: the store is
  /// asked first, and of what it has.
  private func failsForFormerRows(_ predicate: Predicate<Grain>, _ plan: PredicatePlan) throws -> Bool {
    let parameters = try plan.parameterValues(predicate.expression)
    return formerValues.contains { values in
      do {
        _ = try plan.matches({ $0 < 0 ? .integer(0) : values[$0] }, parameters: parameters)
        return false
      } catch {
        return true
      }
    }
  }

  /// What is wrong, or nil.
  func check(
    _ predicate: Predicate<Grain>, _ maker: inout PredicateMaker, _ coverage: inout NodeCoverage
  ) throws -> String? {
    let order = randomOrder(&maker)
    for (context, grains) in [(saved, savedGrains), (mixed, mixedGrains)] {
      let state = try context.core.state(for: layout)
      let plan = try context.core.plans.find(predicate.expression, layout, rows: state.rowKeys)
      if context === saved {
        coverage.count(
          maker.nodes, nullable: maker.nullable, isWholeSQL: plan.isWholeSQL,
          isWholeSwift: !plan.isWholeSQL && plan.whereSQL == "1")
      }
      var descriptor = FetchDescriptor<Grain>(predicate: predicate, sortBy: order)
      if maker.chance(25) {
        descriptor.fetchLimit = maker.choose(20)
        descriptor.fetchOffset = maker.choose(10)
      }
      let expected: [Grain]
      do {
        expected = try evaluated(predicate, plan, grains)
      } catch is PredicateFailure {
        // Which rows are asked is the store's choice; it fails by a typed error, or is not asked of that row.
        coverage.failing += 1
        do { _ = try context.fetch(descriptor) } catch is FetchError {}
        continue
      }
      var wanted = expected
      try SortPlan(order, layout: layout).sort(
        &wanted, identifier: { $0.persistentModelID.key }, value: { stored($0, $1) })
      wanted = Array(wanted.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max))
      let found: [Int]
      do {
        found = try context.fetch(descriptor).map(\.serial)
      } catch let error as FetchError {
        if context === mixed, try failsForFormerRows(predicate, plan) { continue }
        return "\(error): \(plan.whereSQL)"
      }
      if found != wanted.map(\.serial) {
        return
          "\(context === saved ? "stored" : "pending"): \(found) instead of \(wanted.map(\.serial)): \(plan.whereSQL)"
      }
      let count = try context.fetchCount(descriptor)
      if count != wanted.count { return "a count of \(count) instead of \(wanted.count): \(plan.whereSQL)" }
      guard maker.isDefined, maker.isPlain else { continue }
      coverage.comparedWithFoundation += 1
      let others = try grains.filter { try $0.isPlain && predicate.evaluate($0) }.map(\.serial)
      let ours = expected.filter(\.isPlain).map(\.serial)
      if others != ours { return "Foundation has \(others) instead of \(ours): \(plan.whereSQL)" }
    }
    return nil
  }

  private func stored(_ grain: Grain, _ column: Int) -> StoredValue {
    column < 0 ? .integer(grain.persistentModelID.key) : values[ObjectIdentifier(grain)]?[column] ?? .null
  }

  private func evaluated(_ predicate: Predicate<Grain>, _ plan: PredicatePlan, _ grains: [Grain]) throws -> [Grain] {
    let parameters = try plan.parameterValues(predicate.expression)
    return try grains.filter { grain in try plan.matches({ self.stored(grain, $0) }, parameters: parameters) }
  }

  private func randomOrder(_ maker: inout PredicateMaker) -> [SortDescriptor<Grain>] {
    (0..<maker.choose(4)).map { _ in
      let order: SortOrder = maker.chance(50) ? .forward : .reverse
      return switch maker.choose(14) {
      case 0: SortDescriptor(\.name, comparator: .lexical, order: order)
      case 1: SortDescriptor(\.name, order: order)
      case 2: SortDescriptor(\.nickname, comparator: .localized, order: order)
      case 3: SortDescriptor(\.number, order: order)
      case 4: SortDescriptor(\.rank, order: order)
      case 5: SortDescriptor(\.weight, order: order)
      case 6: SortDescriptor(\.height, order: order)
      case 7: SortDescriptor(\.day, order: order)
      case 8: SortDescriptor(\.price, order: order)
      case 9: SortDescriptor(\.cost, order: order)
      case 10: SortDescriptor(\.code, order: order)
      case 11: SortDescriptor(\.spot.latitude, order: order)
      case 12: SortDescriptor(\.place?.name, order: order)
      default: SortDescriptor(\.tame, order: order)
      }
    }
  }
}
