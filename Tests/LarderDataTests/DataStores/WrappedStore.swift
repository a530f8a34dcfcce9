import Foundation
import LarderData
import SwiftData

/// What a test's wrapped store does besides handing everything on.
///
/// Tests of one use it from one thread at a time.
final class Wrapping: @unchecked Sendable {
  let url: URL
  /// Run before a save is handed on, with the store that it is handed to.
  var beforeSave: (DefaultStore) throws -> Void = { _ in }
  /// Run before history is forgotten; what it throws refuses that.
  var beforeForgetting: () throws -> Void = {}
  /// Run before history is told; what it throws is told instead.
  var beforeTelling: () throws -> Void = {}

  init(_ url: URL) { self.url = url }
}

struct WrappedConfiguration: DataStoreConfiguration {
  typealias Store = WrappedStore

  let wrapping: Wrapping
  var name = "wrapped"
  var schema: Schema?

  static func == (left: Self, right: Self) -> Bool { left.wrapping === right.wrapping && left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store of one's own around one of SQLite, whose history is that one's.
final class WrappedStore: DataStore, HistoryProviding {
  typealias Configuration = WrappedConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: WrappedConfiguration
  let schema: Schema
  let inner: DefaultStore
  var identifier: String { inner.identifier }

  init(_ configuration: WrappedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    inner = try DefaultStore(
      ModelConfiguration(schema: configuration.schema, url: configuration.wrapping.url), migrationPlan: migrationPlan)
    schema = inner.schema
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try inner.fetch(request)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try configuration.wrapping.beforeSave(inner)
    return try inner.save(request)
  }

  func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
    try configuration.wrapping.beforeTelling()
    return try inner.fetchHistory(descriptor)
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try configuration.wrapping.beforeForgetting()
    try inner.deleteHistory(descriptor)
  }
}
