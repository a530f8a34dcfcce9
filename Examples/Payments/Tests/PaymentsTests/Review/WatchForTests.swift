import ExampleSupport
import Foundation
import SwiftData
import Synchronization
import Testing

@testable import payments

/// The review list's "Watch For" block: a test for each line, named after it.
@Suite struct WatchForTests {
  @Test func decimalForCurrency() async throws {
    let scene = try Scene()
    let amount = try #require(Decimal(string: "0.1")) + #require(Decimal(string: "0.2"))
    let payment = try await scene.repository.createPayment(Scene.draft(amount: amount))
    #expect(payment.amount == Decimal(string: "0.3"))
    #expect(try await scene.repository.getPayment(id: payment.id).amount == Decimal(string: "0.3"))
    #expect(scene.bank.booked.map(\.amount) == ["0.3"])
  }

  @Test @MainActor func asyncAwaitForNetwork() async throws {
    let scene = try Scene()
    let (asked, isAsked) = AsyncStream<Void>.makeStream()
    let (answers, mayAnswer) = AsyncStream<Void>.makeStream()
    scene.network.answer { [bank = scene.bank] request in
      isAsked.yield()
      for await _ in answers { break }
      return try bank.answer(request)
    }
    let repository = scene.repository
    let paying = Task { try await repository.createPayment(Scene.draft()) }
    for await _ in asked { break }
    // The bank has not answered, and this, on the main actor, runs.
    mayAnswer.yield()
    #expect(try await paying.value.reference == scene.bank.booked.first?.reference)
  }

  @Test func idempotencyKeysForWrites() async throws {
    let scene = try Scene()
    scene.bank.meet([.lostOrder, .notSent, .lostOrder])
    _ = try await scene.desk.accept(Scene.draft())
    try await PaymentQueue(sender: scene.sender).empty()
    let keys = try scene.sent.map { try JSONDecoder.standardDecoder.decode(CreatePaymentRequest.self, from: $0) }
      .map(\.idempotencyKey)
    #expect(keys.count == 4 && Set(keys).count == 1 && keys.first?.isEmpty == false)
  }

  @Test(arguments: [
    NetworkError.invalidURL, .invalidResponse, .httpError(statusCode: 418, reason: nil, type: nil), .unauthorized,
    .forbidden, .notFound, .limited(until: nil), .serverError(statusCode: 500), .decodingError, .notSent, .noAnswer,
    .untrusted,
    .noCredentials(reason: "it is locked", isLasting: false),
  ])
  func errorHandlingPresent(_ error: NetworkError) async throws {
    let scene = try Scene()
    scene.network.answer { _ in throw error }
    await #expect(throws: PaymentFailure.self) { try await scene.repository.createPayment(Scene.draft()) }
    await #expect(throws: NetworkError.self) { try await scene.repository.syncPayments() }
    await #expect(throws: NetworkError.self) { try await scene.repository.cancelPayment(id: "p") }
    // It is kept, with what is known of it, and nothing is shown as paid.
    let order = try #require(try await scene.desk.order("first"))
    #expect(order.state != .made)
    #expect(try await scene.repository.getPayments().isEmpty)
  }

  @Test @MainActor func backgroundContextForWrites() async throws {
    let scene = try Scene()
    let view = scene.container.stack.viewContext
    _ = try await scene.repository.createPayment(Scene.draft())
    #expect(!view.hasChanges)
    #expect(try view.fetch(FetchDescriptor<PaymentEntity>()).count == 1)
    let threads = Mutex<[Bool]>([])
    let observation = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) {
      [container = scene.container.stack.container] note in
      guard (note.object as? ModelContext)?.container === container else { return }
      threads.withLock { $0.append(Thread.isMainThread) }
    }
    defer { NotificationCenter.default.removeObserver(observation) }
    _ = try await scene.repository.createPayment(Scene.draft("second"))
    #expect(threads.withLock { $0.count >= 3 && !$0.contains(true) })
  }

  @Test func dtosMapToDomainModels() async throws {
    let scene = try Scene()
    _ = try await scene.repository.createPayment(Scene.draft())
    let domain = try #require(try scene.bank.booked.first?.toDomain())
    #expect(try await scene.repository.getPayments() == [domain])
    scene.network.answer { _ in Data(#"[{"id":"p"}]"#.utf8) }
    await #expect(throws: (any Error).self) { try await scene.repository.syncPayments() }
    #expect(try await scene.repository.getPayments() == [domain])
  }

  @Test func offlineSupport() async throws {
    let scene = try Scene()
    let paid = try await scene.repository.createPayment(Scene.draft())
    scene.network.answer { _ in throw NetworkError.notSent }
    #expect(try await scene.repository.getPayments() == [paid])
    await #expect(throws: PaymentFailure.offline) { try await scene.repository.createPayment(Scene.draft("later")) }
    #expect(try await scene.repository.getPayments() == [paid])
    // The bank can be reached again.
    scene.network.answer { [bank = scene.bank] in try bank.answer($0) }
    try await PaymentQueue(sender: scene.sender).empty()
    #expect(try await scene.repository.getPayments().count == 2)
  }
}
