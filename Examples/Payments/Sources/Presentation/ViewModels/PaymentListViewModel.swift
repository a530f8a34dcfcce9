import Foundation
import Observation
import SwiftData

/// The payments of the store, and those on their way: always what the store has now, whoever saves it.
@MainActor
@Observable
final class PaymentListViewModel {
  /// How many payments are shown at most.
  static let length = 100

  @ObservationIgnored private let made: ResultsObserver<PaymentEntity, Never>
  @ObservationIgnored private let outgoing: ResultsObserver<OutgoingPayment, Never>
  @ObservationIgnored private let repository: any PaymentRepository

  /// - Parameters:
  ///   - modelContainer: The store.
  ///   - repository: By which a payment is cancelled.
  init(modelContainer: ModelContainer, repository: any PaymentRepository) throws {
    self.repository = repository
    var newest = FetchDescriptor<PaymentEntity>(
      sortBy: [SortDescriptor(\.createdAt, order: .reverse), SortDescriptor(\.id)])
    newest.fetchLimit = Self.length
    made = try ResultsObserver(fetchDescriptor: newest, modelContainer: modelContainer)
    outgoing = try ResultsObserver(
      sortBy: [SortDescriptor(\.askedAt, order: .reverse), SortDescriptor(\.name)], modelContainer: modelContainer)
  }

  /// The newest first.
  var payments: [Payment] { made.results.map { $0.toDomain() } }

  /// Those that are neither made nor refused, the newest first.
  var onTheirWay: [PaymentOnItsWay] {
    // A sync may bring a payment before the bank is asked for the order whose answer was lost: it is shown once.
    let made = Set(made.results.map(\.reference))
    return outgoing.results.filter { ($0.state == .waiting || $0.state == .sent) && !made.contains($0.key) }
      .map(PaymentOnItsWay.init)
  }

  /// Those that the bank has refused, the newest first.
  var refused: [PaymentOnItsWay] { outgoing.results.filter { $0.state == .rejected }.map(PaymentOnItsWay.init) }

  /// Why what is shown may not be what the store has, in words.
  var problem: String? {
    made.fetchError == nil && outgoing.fetchError == nil ? nil : "The store cannot be read. This is what it had last."
  }

  /// Takes a payment back that is not carried out yet.
  ///
  /// - Returns: Why it could not be done, in words.
  func cancel(_ id: String) async -> String? {
    do {
      try await repository.cancelPayment(id: id)
      return nil
    } catch let error as NetworkError where error.saysThatNothingWasDone {
      return "The payment is not cancelled. \(SyncTrouble.words(error))"
    } catch {
      // Also where the bank has answered, and what it said cannot be read or kept.
      return "The bank's answer was lost. The next sync tells whether the payment is cancelled."
    }
  }
}
