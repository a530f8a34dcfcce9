import ExampleSupport
import Foundation
import SwiftData

/// The store and its contexts.
struct PaymentStack: Sendable {
  let container: ModelContainer

  /// Opens the store at a path, making it and its folder if there is none; nil for one in memory.
  init(at url: URL?) throws {
    if let url { try Self.makeFolder(of: url) }
    try self.init(url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Opens the store at a path to read it. Nothing in it is changed, so it needs no lock.
  init(reading url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
      throw FileTrouble(
        url, "the store", "cannot be read: there is none", advice: "Name by --store the one from which you have paid.")
    }
    try self.init(ModelConfiguration(url: url, allowsSave: false))
  }

  private init(_ configuration: ModelConfiguration) throws {
    container = try ModelContainer(for: PaymentEntity.self, OutgoingPayment.self, configurations: configuration)
  }

  /// Makes the folder of a store, if there is none.
  static func makeFolder(of store: URL) throws(FileTrouble) {
    try Files.makeFolder(
      of: store, "the store's folder", advice: "Name a store by --store or STORE= whose folder is this user's.")
  }

  /// For what is shown: it takes over what others save by itself.
  @MainActor
  var viewContext: ModelContext { container.mainContext }

  /// For heavy work, on any thread but the main one. Where both changed a payment, each keeps what it changed itself.
  func newBackgroundContext() -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    context.mergePolicy = .mergeByPropertyObjectTrump
    return context
  }
}
