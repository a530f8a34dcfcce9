import ExampleSupport
import Foundation
import SwiftData

/// `--refused` and `--put-away`: what the bank has refused, at the terminal.
struct RefusedPayments {
  private let stack: PaymentStack

  /// - Parameter onlyReads: Whether nothing is changed. Then another program may pay from the store meanwhile, and the store
  ///   may lie where nothing can be written.
  /// - Throws: Also where something is to be changed, and another program pays from the store.
  init(_ settings: Options, onlyReads: Bool) throws {
    let store = settings.store ?? StorePlaces.usual(of: "payments")
    if onlyReads {
      do {
        stack = try PaymentStack(reading: store)
        return
      } catch let error as StoreError where error.code == .schemaMismatch {
        // An earlier version of the program has made it, and it is brought to this one's first.
      }
    }
    try ProgramLock.take(beside: store)
    stack = try PaymentStack(at: store)
  }

  init(stack: PaymentStack) {
    self.stack = stack
  }

  /// A line for each, the oldest first: its name, what it was, and the bank's reason.
  @MainActor func lines() throws -> [String] {
    let refused = FetchDescriptor(
      predicate: OutgoingPayment.refused, sortBy: [SortDescriptor(\.askedAt), SortDescriptor(\.name)])
    return try stack.viewContext.fetch(refused).map(PaymentOnItsWay.init).map { payment in
      let amount = payment.amount.map { Formats.amount($0, payment.currency) } ?? "?"
      guard case .refused(let reason) = payment.stage else { return payment.name }
      return [payment.name, "\(amount) to \(payment.recipientName)", reason].map { ForeignText.plain($0) }.joined(
        separator: "\t")
    }
  }

  func tell() async throws {
    let lines = try await lines()
    for line in lines { Terminal.put(line) }
    Terminal.say(lines.isEmpty ? "The bank has refused nothing." : "--put-away NAME tells no more of one.")
  }

  /// - Parameter name: One's name; nil for all of them.
  func putAway(_ name: String?) async throws {
    let refused = try await names()
    guard name.map(refused.contains) ?? true else {
      throw Misunderstood(description: "No payment that was refused has this name: --refused tells which have.")
    }
    let desk = PaymentDesk(modelContainer: stack.container)
    for one in refused where name == nil || one == name { try await desk.putAway(one) }
    Terminal.say("Put away.")
  }

  @MainActor private func names() throws -> [String] {
    try stack.viewContext.fetch(FetchDescriptor(predicate: OutgoingPayment.refused)).map(\.name)
  }
}
