import DurabilityWork
import Foundation
import LarderSQLite
import SwiftData

/// A store in a folder of its own, opened by one version of the models after the other.
final class TemporaryStore {
  let folder: WorkFolder
  var url: URL { folder.file("test.store") }

  init() throws { folder = try WorkFolder() }

  /// Opens it for some models and works in a context, whose changes are saved.
  @discardableResult
  func open<Result>(
    _ models: any PersistentModel.Type..., plan: (any SchemaMigrationPlan.Type)? = nil,
    options: MigrationOptions = MigrationOptions(removedValues: .discard), _ work: (ModelContext) throws -> Result
  ) throws -> Result {
    try open(Schema(models), plan: plan, options: options, work)
  }

  @discardableResult
  func open<Result>(
    _ schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil,
    options: MigrationOptions = MigrationOptions(removedValues: .discard),
    _ work: (ModelContext) throws -> Result
  ) throws -> Result {
    let container = try ModelContainer(
      for: schema, migrationPlan: plan, configurations: [ModelConfiguration(url: url)], migration: options)
    let context = ModelContext(container)
    let result = try work(context)
    try context.save()
    return result
  }

  /// What goes wrong when it is opened.
  func failure(
    _ models: any PersistentModel.Type..., plan: (any SchemaMigrationPlan.Type)? = nil,
    options: MigrationOptions = MigrationOptions(removedValues: .discard)
  ) -> (any Error)? {
    do {
      try open(Schema(models), plan: plan, options: options) { _ in }
      return nil
    } catch {
      return error
    }
  }

  /// The bytes of the file, once nobody has it open.
  var bytes: Data? { folder.bytes("test.store") }
}

extension ModelContext {
  func all<Model: PersistentModel>(_: Model.Type) throws -> [Model] { try fetch(FetchDescriptor<Model>()) }
}

extension TemporaryStore {
  /// What somebody does to the file by hand.
  func execute(_ sql: String) throws {
    let connection = try Connection(path: url.path)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// What a query of one text finds in the file.
  func strings(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url.path, access: .readOnly)
    defer { connection.close() }
    return try connection.withStatement(for: sql) { statement in
      var values: [String] = []
      defer { statement.reset() }
      while try statement.step() { values.append(statement.string(0)) }
      return values
    }
  }

  /// The names of the tables in the file.
  func tables() throws -> [String] { try strings("SELECT name FROM sqlite_schema WHERE type = 'table'") }
}
