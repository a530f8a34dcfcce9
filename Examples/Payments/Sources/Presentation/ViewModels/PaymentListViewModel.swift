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
  @ObservationIgnored let open: ResultsObserver<OutgoingPayment, Never>
  @ObservationIgnored private let rejected: ResultsObserver<OutgoingPayment, Never>
  @ObservationIgnored private let repository: any PaymentRepository
  @ObservationIgnored private let outbox: any PaymentOutbox

  /// - Parameters:
  ///   - modelContainer: The store.
  ///   - repository: By which a payment is cancelled.
  ///   - outbox: By which one that was refused is put away.
  init(modelContainer: ModelContainer, repository: any PaymentRepository, outbox: any PaymentOutbox) throws {
    self.repository = repository
    self.outbox = outbox
    var newest = FetchDescriptor<PaymentEntity>(
      sortBy: [SortDescriptor(\.createdAt, order: .reverse), SortDescriptor(\.id)])
    newest.fetchLimit = Self.length
    made = try ResultsObserver(fetchDescriptor: newest, modelContainer: modelContainer)
    // Those that are made, which are most of them, are not even read.
    func orders(_ predicate: Predicate<OutgoingPayment>) throws -> ResultsObserver<OutgoingPayment, Never> {
      try ResultsObserver(
        fetchDescriptor: FetchDescriptor(
          predicate: predicate, sortBy: [SortDescriptor(\.askedAt, order: .reverse), SortDescriptor(\.name)]),
        modelContainer: modelContainer)
    }
    open = try orders(OutgoingPayment.open)
    rejected = try orders(OutgoingPayment.refused)
  }

  /// The newest first.
  var payments: [Payment] { made.results.map { $0.toDomain() } }

  /// Those that are neither made nor refused, the newest first.
  var onTheirWay: [PaymentOnItsWay] {
    // A sync may bring a payment before the bank is asked for the order whose answer was lost: it is shown once.
    let made = Set(made.results.map(\.reference))
    return open.results.filter { !made.contains($0.key) }.map(PaymentOnItsWay.init)
  }

  /// Those that the bank has refused and nobody has put away, the newest first.
  var refused: [PaymentOnItsWay] { rejected.results.map(PaymentOnItsWay.init) }

  /// Why what is shown may not be what the store has, in words.
  var problem: String? {
    made.fetchError == nil && open.fetchError == nil && rejected.fetchError == nil
      ? nil : "The store cannot be read. This is what it had last."
  }

  /// Shows a payment no more that the bank has refused.
  ///
  /// - Returns: Why it could not be done, in words.
  func putAway(_ name: String) async -> String? {
    do {
      try await outbox.putAway(name)
      return nil
    } catch {
      return "That could not be kept in the store. Try it again."
    }
  }

  /// Takes a payment back that is not carried out yet.
  ///
  /// - Returns: Why it could not be done, in words.
  func cancel(_ id: String) async -> String? {
    do {
      try await repository.cancelPayment(id: id)
      return nil
    } catch NetworkError.notFound, NetworkError.invalidURL {
      // What cannot stand in an address is the name of none.
      return "There is no such payment, and nothing is cancelled."
    } catch let error as NetworkError where error.saysThatNothingWasDone {
      return "The payment is not cancelled. \(SyncTrouble.words(error))"
    } catch {
      // Also where the bank has answered, and what it said cannot be read or kept.
      return "The bank's answer was lost. The next sync tells whether the payment is cancelled."
    }
  }
}
