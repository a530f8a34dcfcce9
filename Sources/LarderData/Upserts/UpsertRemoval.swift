// Larder's own.

public import Foundation

/// What an upsert does with rows that no record names.
public struct UpsertRemoval<Model: PersistentModel>: Sendable {
  enum Scope: Sendable {
    case none, all
    case matching(Predicate<Model>)
  }

  let scope: Scope

  /// They stay.
  public static var none: UpsertRemoval { UpsertRemoval(scope: .none) }

  /// They are deleted, by the rules of their relationships: the records are a complete snapshot.
  ///
  /// Where a record's key cannot be read nothing is removed: it may be that of any of them. Rows that may not be deleted,
  /// by the rule `.deny` say, stay, and some that were to go with them; see ``UpsertReport/removalProblem``.
  public static var missing: UpsertRemoval { UpsertRemoval(scope: .all) }

  /// Of those that match: the records are a complete snapshot of these.
  public static func missing(among predicate: Predicate<Model>) -> UpsertRemoval {
    UpsertRemoval(scope: .matching(predicate))
  }
}
