// Larder's own API.

public import Foundation

/// An upsert's treatment of rows that no record names.
public struct UpsertRemoval<Model: PersistentModel>: Sendable {
  enum Scope: Sendable {
    case none, all
    case matching(Predicate<Model>)
  }

  let scope: Scope

  /// A removal that keeps all rows.
  public static var none: UpsertRemoval { UpsertRemoval(scope: .none) }

  /// A removal that deletes the rows that no record names, by their relationships' delete rules: the records are a complete
  /// snapshot.
  ///
  /// If a record's key cannot be read, no row is deleted, since the key might be that of any row. Rows that must not be deleted,
  /// for example because of the rule `.deny`, stay, and so do some rows of the same batch; see
  /// ``UpsertReport/removalProblem``.
  public static var missing: UpsertRemoval { UpsertRemoval(scope: .all) }

  /// Returns a removal that deletes only rows that match a predicate: the records are a complete snapshot of these rows.
  public static func missing(among predicate: Predicate<Model>) -> UpsertRemoval {
    UpsertRemoval(scope: .matching(predicate))
  }
}
