import LarderData
import LarderSQLite
import LarderSupport

/// Models that say what they were called before, where it cannot be told without a migration plan what is to become of whose
/// rows: nothing would be done.
struct AmbiguousRenames {
  private let models: Set<String>
  private let renamed: [String: String]
  private let store: StoredSchema

  /// - Parameter renamed: The names that classes had in an earlier version, by those that they have.
  init(_ models: [String], renamed: [String: String], in store: StoredSchema) {
    self.models = Set(models)
    self.renamed = renamed
    self.store = store
  }

  /// Models that take each other's names. Whether their rows have changed places already is told by nothing in the store.
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

  /// Models of whose former name the store has rows besides, which nobody would read.
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
      // The table has gone without the store's knowing of it, which is for a check to tell.
      return false
    }
  }
}
