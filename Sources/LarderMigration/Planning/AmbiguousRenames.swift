import LarderData
import LarderSQLite
import LarderSupport

/// Renames of models for which, without a migration plan, it is ambiguous which model takes which rows: nothing is
/// migrated.
struct AmbiguousRenames {
  private let models: Set<String>
  private let renamed: [String: String]
  private let store: StoredSchema

  /// - Parameter renamed: The classes' names in an earlier version, by their current names.
  init(_ models: [String], renamed: [String: String], in store: StoredSchema) {
    self.models = Set(models)
    self.renamed = renamed
    self.store = store
  }

  /// The models that exchange names. The store does not show whether their rows have been exchanged already.
  var swapProblems: [String] {
    models.filter(isInCycle).inOrder().map { name in
      let original = renamed[name] ?? name
      return "\(name) was \(original), and \(original) has another name of these models, which leads back to \(name): "
        + "whether their rows have changed places already cannot be told. Give them names that no earlier version had, or "
        + "take the former names away where the rows of each are to stay its own"
    }
  }

  private func isInCycle(_ name: String) -> Bool {
    var next = name
    for _ in models {
      guard let original = renamed[next], original != next, models.contains(original) else { return false }
      if original == name { return true }
      next = original
    }
    return false
  }

  /// Returns the models for which the store has rows under the former name as well, which would not be read.
  func unreadRowProblems(on connection: Connection) throws -> [String] {
    try models.inOrder().compactMap { name in
      guard let original = renamed[name], !models.contains(original), store.table(of: name) != nil,
        let table = store.table(of: original)
      else { return nil }
      guard try hasRows(table, of: original, on: connection) else { return nil }
      return "\(name) was \(original), and the store has both, with rows of \(original) that would not be read. List "
        + "\(original) among the models, too, and carry its objects over, or take the former name away from \(name)"
    }
  }

  private func hasRows(_ table: TableDefinition, of name: String, on connection: Connection) throws -> Bool {
    let condition = table.classCondition(table.family(of: name), as: "f").map { " WHERE \($0)" } ?? ""
    let sql = "SELECT EXISTS (SELECT 1 FROM \(StoreFormat.quoted(table.name)) AS f\(condition))"
    do { return try connection.int64(sql) == 1 } catch let error as SQLiteError where error.code == .error {
      // The table is missing although the store records it; an integrity check reports that.
      return false
    }
  }
}
