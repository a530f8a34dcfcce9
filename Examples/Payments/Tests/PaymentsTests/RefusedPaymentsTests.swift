import ExampleSupport
import Foundation
import SwiftData
import Testing

@testable import payments

/// What `--refused` needs: the store, and nothing else.
@Suite struct RefusedPaymentsTests {
  private func settings(_ store: URL) throws -> Options {
    try Options(arguments: ["--refused", "--store", store.path])
  }

  @Test func whoOnlyReadsNeitherWaitsNorWrites() async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "payments.store")
    do {
      let scene = try Scene(in: folder)
      scene.bank.meet([.fails(.refused(422, "There is not enough."))])
      _ = try await scene.desk.accept(Scene.draft())
      try await PaymentQueue(sender: scene.sender).empty()
    }
    let before = try Data(contentsOf: store)
    #expect(
      try await RefusedPayments(settings(store), onlyReads: true).lines()
        == ["first\t12.50\u{A0}EUR to Ada\tThere is not enough."])
    #expect(try Data(contentsOf: store) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "payments.lock").path))
    // Beside a program that pays.
    try ProgramLock.take(beside: store)
    #expect(try await RefusedPayments(settings(store), onlyReads: true).lines().count == 1)
  }

  /// An earlier version of the program has made the store: it is brought to this one's, for which it is locked.
  @Test func aStoreOfAnEarlierVersionIsReadToo() async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "payments.store")
    do {
      let former = try ModelContainer(
        for: PaymentEntity.self, Former.OutgoingPayment.self, configurations: ModelConfiguration(url: store))
      let context = ModelContext(former)
      context.insert(Former.OutgoingPayment(name: "first"))
      try context.save()
    }
    #expect(throws: StoreError.self) { try PaymentStack(reading: store) }
    #expect(try await RefusedPayments(settings(store), onlyReads: true).lines().map { $0.prefix(5) } == ["first"])
    #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "payments.lock").path))
  }

  /// A name that was mistyped is not a store of which nothing was refused.
  @Test func whereThereIsNoStoreNoneIsMade() throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "new/payments.store")
    let error = #expect(throws: FileTrouble.self) { try RefusedPayments(settings(store), onlyReads: true) }
    #expect(error?.description.contains("the store, cannot be read: there is none. Name by --store") == true)
    #expect(!FileManager.default.fileExists(atPath: store.deletingLastPathComponent().path))
  }
}

/// The models of an earlier version of the program.
private enum Former {
  @Model
  final class OutgoingPayment {
    @Attribute(.unique) var name: String
    @Attribute(.unique) var key = ""
    var body = Data()
    var state = OutgoingState.rejected
    var deadline: Date?
    var notBefore = Date.distantPast
    var attempts = 1
    var wasUnknown = false
    var isUnknown = false
    var reason: String?
    var isPutAway = false
    var askedAt = Date.distantPast

    init(name: String) { self.name = name }
  }
}
