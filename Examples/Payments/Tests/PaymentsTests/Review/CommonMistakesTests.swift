import ExampleSupport
import Foundation
import SwiftData
import Testing

@testable import payments

/// The review list's three common mistakes: a test for each, named after it.
@Suite struct CommonMistakesTests {
  @Test func dontUseFloatOrDoubleForCurrency() throws {
    #expect(Scene.draft(amount: try #require(Decimal(string: "0.30"))).amount.description == "0.3")
    let sources = try Sources.all()
    #expect(sources.count > 20)
    for (name, text) in sources {
      for line in text.split(separator: "\n") where line.localizedCaseInsensitiveContains("amount") {
        #expect(!line.contains("Double") && !line.contains("Float"), "\(name): \(line)")
      }
    }
    // What the store keeps is no binary number either.
    let amount = Schema([PaymentEntity.self]).entities.first?.attributesByName["amount"]
    #expect(amount?.valueType is Decimal.Type)
  }

  @Test @MainActor func dontBlockTheMainThreadWithCoreData() async throws {
    let scene = try Scene()
    let drafts = (0..<200).map { Scene.draft("\($0)") }
    let desk = scene.desk
    let sender = scene.sender
    let work = Task.detached {
      for draft in drafts { _ = try await desk.accept(draft) }
      try await PaymentQueue(sender: sender).empty()
    }
    // Turns of the main actor come while it is done.
    var turns = 0
    let done = Flag()
    let watcher = Task.detached {
      _ = try? await work.value
      done.set()
    }
    while !done.isSet {
      turns += 1
      await Task.yield()
    }
    await watcher.value
    #expect(turns > 10)
    #expect(scene.bank.booked.count == 200)
  }

  @Test func dontIgnoreIdempotencyForPayments() async throws {
    // A key that is made for each call would be another one here; two calls for one payment have one.
    let scene = try Scene()
    scene.bank.meet([.lostAnswer])
    await #expect(throws: PaymentFailure.unknown) { try await scene.repository.createPayment(Scene.draft()) }
    let payment = try await scene.repository.createPayment(Scene.draft())
    #expect(scene.bank.booked.map(\.reference) == [payment.reference])
  }
}
