import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// What a context's world should be, as plain arrays: the committed rows, and the same with what is pending.
struct FetchOracle {
  struct Entry: Equatable {
    var identifier: PersistentIdentifier
    var number: Int
    var text: String
    var note: String?

    init(_ crate: Crate) {
      identifier = crate.persistentModelID
      number = crate.number
      text = crate.text
      note = crate.note
    }
  }

  var saved: [Entry] = []
  var current: [Entry] = []

  var hasChanges: Bool { saved != current }

  mutating func save() { saved = current }
  mutating func rollback() { current = saved }

  /// A question that both the context and the arrays can answer.
  struct Question: CustomStringConvertible {
    var filter: Filter?
    var orders: [Order]
    var limit: Int?
    var offset: Int?
    var includesPending = true

    var description: String {
      "\(filter.map { "\($0)" } ?? "all"), \(orders), limit \(limit.map(String.init) ?? "none"), offset \(offset ?? 0)"
    }
  }

  enum Filter {
    case numberAbove(Int)
    case numberIs(Int)
    case textIs(String)
    case textContains(String)
    case noteIsNil
    case noteIs(String)
    case either(Int, String)
    case between(Int, Int)
  }

  enum Order: CaseIterable {
    case number, numberDown, text, textDown, note, noteDown
  }

  func answer(_ question: Question) -> [Entry] {
    var entries = (question.includesPending ? current : saved).filter { question.filter?.matches($0) ?? true }
    entries.sort { left, right in
      for order in question.orders {
        let sign = order.sign(left, right)
        if sign != 0 { return sign < 0 }
      }
      return left.identifier < right.identifier
    }
    let rest = entries.dropFirst(question.offset ?? 0)
    return Array(question.limit.map { rest.prefix($0) } ?? rest)
  }
}

extension FetchOracle.Filter {
  func matches(_ entry: FetchOracle.Entry) -> Bool {
    switch self {
    case .numberAbove(let number): entry.number > number
    case .numberIs(let number): entry.number == number
    case .textIs(let text): entry.text == text
    case .textContains(let text): text.isEmpty || entry.text.contains(text)
    case .noteIsNil: entry.note == nil
    case .noteIs(let note): entry.note == note
    case .either(let number, let text): entry.number == number || entry.text != text
    case .between(let low, let high): entry.number >= low && entry.number < high
    }
  }

  var predicate: Predicate<Crate> {
    switch self {
    case .numberAbove(let number): return #Predicate { $0.number > number }
    case .numberIs(let number): return #Predicate { $0.number == number }
    case .textIs(let text): return #Predicate { $0.text == text }
    case .textContains(let text): return #Predicate { $0.text.contains(text) }
    case .noteIsNil: return #Predicate { $0.note == nil }
    case .noteIs(let note): return #Predicate { $0.note == note }
    case .either(let number, let text): return #Predicate { $0.number == number || $0.text != text }
    case .between(let low, let high): return #Predicate { $0.number >= low && $0.number < high }
    }
  }

  static func random(_ random: inout SeededGenerator) -> Self {
    let number = Int.random(in: 0..<12, using: &random)
    let text = FetchOracle.word(&random)
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: .numberAbove(number)
    case 1: .numberIs(number)
    case 2: .textIs(text)
    case 3: .textContains(String(text.prefix(1)))
    case 4: .noteIsNil
    case 5: .noteIs(text)
    case 6: .either(number, text)
    default: .between(number, number + 4)
    }
  }
}

extension FetchOracle.Order {
  func sign(_ left: FetchOracle.Entry, _ right: FetchOracle.Entry) -> Int {
    func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : (a > b ? 1 : 0) }
    // nil comes first.
    func compare(_ a: String?, _ b: String?) -> Int {
      switch (a, b) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let a?, let b?): compare(a, b)
      }
    }
    return switch self {
    case .number: compare(left.number, right.number)
    case .numberDown: -compare(left.number, right.number)
    case .text: compare(left.text, right.text)
    case .textDown: -compare(left.text, right.text)
    case .note: compare(left.note, right.note)
    case .noteDown: -compare(left.note, right.note)
    }
  }

  var descriptor: SortDescriptor<Crate> {
    switch self {
    case .number: SortDescriptor(\.number)
    case .numberDown: SortDescriptor(\.number, order: .reverse)
    case .text: SortDescriptor(\.text, comparator: .lexical)
    case .textDown: SortDescriptor(\.text, comparator: .lexical, order: .reverse)
    case .note: SortDescriptor(\.note)
    case .noteDown: SortDescriptor(\.note, order: .reverse)
    }
  }
}

extension FetchOracle {
  static func word(_ random: inout SeededGenerator) -> String {
    ["", "ant", "bee", "cat", "ape", "bat"].randomElement(using: &random) ?? ""
  }

  static func question(_ random: inout SeededGenerator) -> Question {
    Question(
      filter: random.chance(70) ? .random(&random) : nil,
      orders: random.chance(60) ? Array(Order.allCases.shuffled(using: &random).prefix(2)) : [],
      limit: random.chance(40) ? Int.random(in: 0..<8, using: &random) : nil,
      offset: random.chance(30) ? Int.random(in: 0..<5, using: &random) : nil,
      includesPending: random.chance(85))
  }

  static func descriptor(_ question: Question) -> FetchDescriptor<Crate> {
    var descriptor = FetchDescriptor<Crate>(
      predicate: question.filter?.predicate, sortBy: question.orders.map(\.descriptor))
    descriptor.fetchLimit = question.limit
    descriptor.fetchOffset = question.offset
    descriptor.includePendingChanges = question.includesPending
    return descriptor
  }
}
