public import Foundation

// Beyond Apple's API.

/// A problem that an integrity check found in a store.
public struct IntegrityProblem: Hashable, Sendable {
  /// The kind of a problem.
  public enum Kind: String, Sendable {
    /// The file itself is damaged: pages that are corrupt or used twice, indexes that lack rows. Restore a backup, or
    /// save the data that can still be read.
    case damagedFile
    /// A row references a row that does not exist, or whose class is not the relationship's destination.
    case missingReference
    /// The two ends of a one-to-one relationship contradict each other: two rows reference the same row, or a row of a
    /// relationship that is its own inverse references a row that does not reference it back.
    case inconsistentInverse
    /// A table, a column or an index of the store's schema is missing, or an index of that name differs: it has other
    /// columns, is not unique, or covers only some of the rows.
    case missingSchemaObject
    /// A row has a value that its property's type cannot decode, or lacks a required external value.
    case unreadableValue
    /// A transaction of the history cannot be read, or the last transaction number is too large to be incremented.
    case unreadableHistory
  }

  /// The kind of the problem.
  public var kind: Kind
  /// The store's file; `nil` in memory.
  public var url: URL?
  /// The model or table with the problem; `nil` for the file as a whole.
  public var entityName: String?
  /// The row ID of the row with the problem.
  public var row: Int64?
  /// The finding, as a sentence.
  public var explanation: String

  package init(kind: Kind, url: URL?, entityName: String? = nil, row: Int64? = nil, explanation: String) {
    self.kind = kind
    self.url = url
    self.entityName = entityName
    self.row = row
    self.explanation = explanation
  }
}

extension IntegrityProblem: CustomStringConvertible {
  public var description: String { "\(kind.rawValue): \(explanation)" }
}
