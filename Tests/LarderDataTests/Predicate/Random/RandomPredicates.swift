import Foundation
import SwiftData

@testable import LarderData

/// Asks random predicates, and notes what was asked and what was wrong.
struct RandomPredicates {
  let seed: UInt64
  private(set) var coverage = NodeCoverage()
  private(set) var problems: [String] = []

  /// More tell nothing new.
  private static let enoughToSee = 5
  /// Predicates between which the objects are made anew.
  private static let round = 200
  /// Predicates between which more becomes pending.
  private static let turn = 25

  /// A mistake that the translator makes.
  private let mistake: ((String) -> String)?
  private let enoughProblems: Int

  init(seed: UInt64, mistake: ((String) -> String)? = nil) {
    self.seed = seed
    self.mistake = mistake
    enoughProblems = mistake == nil ? Self.enoughToSee : 1
  }

  mutating func go(_ count: Int) throws {
    for start in stride(from: 0, to: count, by: Self.round) {
      let isPlain = (start / Self.round).isMultiple(of: 2)
      let saved = try GrainField(seed: seed &+ UInt64(start), isPlain: isPlain)
      let mixed = try GrainField(seed: seed &+ UInt64(start) &+ 1, isPlain: isPlain)
      for field in [saved, mixed] { field.context.core.planCache.rewriting = mistake }
      for number in start..<min(start + Self.round, count) {
        if number.isMultiple(of: Self.turn) {
          if (number / Self.turn) % 3 == 2 { try mixed.save() }
          mixed.disturb(12)
        }
        var maker = PredicateMaker(seed: seed &+ UInt64(number) &* 0x9E37_79B9, isPlain: isPlain || number % 3 == 0)
        switch maker.choose(10) {
        case 0: try ask(Sack.self, number, saved, mixed, isPlain: isPlain, &maker)
        case 1: try ask(Ticket.self, number, saved, mixed, isPlain: isPlain, &maker)
        default: try ask(Grain.self, number, saved, mixed, isPlain: isPlain, &maker)
        }
        if problems.count >= enoughProblems { return }
      }
    }
  }

  private mutating func ask<Root: Kernel>(
    _ root: Root.Type, _ number: Int, _ saved: GrainField, _ mixed: GrainField, isPlain: Bool,
    _ maker: inout PredicateMaker
  ) throws {
    maker.identifiers = values(saved.identifiers + mixed.identifiers, &maker)
    let predicate = maker.predicate(on: Root.self)
    let orders = maker.orders(of: Root.self)
    var descriptor = FetchDescriptor<Root>(predicate: predicate, sortBy: orders.map(\.descriptor))
    if maker.chance(25) {
      descriptor.fetchLimit = maker.choose(20)
      descriptor.fetchOffset = maker.choose(10)
    }
    let nodes = NodeNames(predicate.expression)
    var isPending = false
    var plan: PredicatePlan?
    var isJoined = false
    for field in [saved, mixed] {
      let question = PredicateQuestion(
        predicate: predicate, descriptor: descriptor, orders: orders, isDefined: maker.isDefined && isPlain)
      do {
        var answer = try question.ask(field, isFresh: field === saved && maker.chance(20))
        plan = answer.plan
        if answer.isJoined { isJoined = true }
        if answer.problem == nil, field === mixed, maker.chance(20) {
          answer.problem = try question.askWithoutPending(field)
        }
        if field === mixed { isPending = answer.isPending }
        if answer.hasNoValue { coverage.failing += 1 }
        if answer.isFoundation { coverage.comparedWithFoundation += 1 }
        if let problem = answer.problem {
          problems.append("predicate \(number), \(field === saved ? "saved" : "pending") \(Root.self): \(problem)")
        }
      } catch {
        problems.append("predicate \(number), \(field === saved ? "saved" : "pending") \(Root.self): \(error)")
      }
    }
    coverage.count(
      nodes, isWholeSQL: plan?.isWholeSQL ?? false,
      isWholeSwift: plan.map { !$0.isWholeSQL && $0.whereSQL == "1" } ?? false,
      isPending: isPending, isJoined: isJoined)
  }

  /// A few identifiers, so that some are met.
  private func values(_ all: [PersistentIdentifier], _ maker: inout PredicateMaker) -> [PersistentIdentifier] {
    (0..<6).map { _ in maker.values.pick(all) }
  }
}

/// One predicate, asked of a context in several ways.
struct PredicateQuestion<Root: Kernel> {
  let predicate: Predicate<Root>
  let descriptor: FetchDescriptor<Root>
  let orders: [RandomOrder<Root>]
  /// Whether Foundation's evaluation has the same meaning.
  let isDefined: Bool

  struct Answer {
    var plan: PredicatePlan
    var isPending = false
    var isJoined = false
    var hasNoValue = false
    var isFoundation = false
    var problem: String?
  }

  /// - Parameter isFresh: Whether a context is asked that has loaded nothing.
  func ask(_ field: GrainField, isFresh: Bool) throws -> Answer {
    let context = isFresh ? ModelContext(field.container) : field.context
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: context.core)
    guard let plan = fetch.plan else { throw SwiftDataError.unsupportedPredicate }
    var answer = Answer(plan: plan, isPending: try fetch.isAffectedByPendingChanges())
    let yield = fetch.rowsShape(limit: descriptor.fetchLimit, offset: descriptor.fetchOffset ?? 0)
    answer.isJoined = (try? fetch.query(yield, plan, isLimited: fetch.request.isLimited).isJoined) ?? false
    let found: Result<[Int], FetchError>
    do { found = .success(try context.fetch(descriptor).map(\.serial)) } catch let error as FetchError {
      found = .failure(error)
    }
    let objects = field.objects(Root.self)
    let expected: [Root]
    do { expected = try evaluated(plan, objects, field.context) } catch is FetchError {
      // Which rows are asked is the store's choice; it fails by a typed error, or is not asked of that row.
      answer.hasNoValue = true
      return answer
    }
    let rows = expected.sorted(by: orders).dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max)
    let wanted = rows.map(\.serial)
    switch found {
    case .failure(let error):
      if answer.isPending, try failsForFormerRows(field) { return answer }
      answer.problem = "\(error): \(plan.whereSQL)"
    case .success(let found):
      if found != wanted { answer.problem = "\(found) instead of \(wanted): \(plan.whereSQL) \(descriptor.sortBy)" }
      let count = try context.fetchCount(descriptor)
      if count != wanted.count { answer.problem = "a count of \(count) instead of \(wanted): \(plan.whereSQL)" }
    }
    guard answer.problem == nil, isDefined else { return answer }
    answer.isFoundation = true
    let others = try objects.filter { try predicate.evaluate($0) }.map(\.serial)
    let ours = expected.map(\.serial)
    if others != ours { answer.problem = "Foundation has \(others) instead of \(ours): \(plan.whereSQL)" }
    return answer
  }

  /// What is wrong where pending changes are to be left out.
  func askWithoutPending(_ field: GrainField) throws -> String? {
    let others = ModelContext(field.container)
    let objects = try others.fetch(FetchDescriptor<Root>())
    var descriptor = descriptor
    descriptor.includePendingChanges = false
    let plan = try others.core.planCache.plan(
      for: predicate.expression, Root._$layout,
      identifierResolver: others.core.tracker(for: Root._$layout).identifierResolver)
    let expected: [Root]
    do { expected = try evaluated(plan, objects, others) } catch is FetchError { return nil }
    let wanted = expected.sorted(by: orders).dropFirst(descriptor.fetchOffset ?? 0)
      .prefix(descriptor.fetchLimit ?? .max).map(\.serial)
    let found = try field.context.fetch(descriptor).map(\.serial)
    if found != wanted { return "\(found) instead of \(wanted) without what is pending: \(plan.whereSQL)" }
    let count = try field.context.fetchCount(descriptor)
    return count == wanted.count ? nil : "a count of \(count) instead of \(wanted) without what is pending"
  }

  private func evaluated(_ plan: PredicatePlan, _ objects: [Root], _ context: ModelContext) throws -> [Root] {
    let state = try context.core.tracker(for: Root._$layout)
    let evaluation = try PendingEvaluation<Root>(plan, predicate.expression, state)
    return try objects.filter(evaluation.matches)
  }

  /// Whether the predicate has no value for a row that is in the store no longer as it is in the context: the store is
  /// asked first, and of what it has.
  private func failsForFormerRows(_ field: GrainField) throws -> Bool {
    let context = ModelContext(field.container)
    let objects = try context.fetch(FetchDescriptor<Root>())
    let state = try context.core.tracker(for: Root._$layout)
    let plan = try context.core.planCache.plan(
      for: predicate.expression, Root._$layout, identifierResolver: state.identifierResolver)
    do {
      _ = try evaluated(plan, objects, context)
      return false
    } catch is FetchError {
      return true
    }
  }
}
