public import Foundation

// Beyond Apple's API.

/// Something that is not as it should be in a store.
public struct IntegrityProblem: Hashable, Sendable {
  /// What kind of trouble it is.
  public enum Kind: String, Sendable {
    /// The file itself: pages that are damaged or used twice, indexes that lack rows. Go back to a copy, or save what can
    /// still be read.
    case damagedFile
    /// A row refers to one that is not there, or that is of another class than those to which the relationship leads.
    case missingReference
    /// The two ends of a relationship of one to one contradict each other: two rows refer to one, or a row of a relationship
    /// that mirrors itself to one that does not refer to it.
    case inconsistentInverse
    /// A table, a column or an index that the store's schema has is not there, or an index of that name is another one: of
    /// other columns, not unique, of some of the rows only.
    case missingSchemaObject
    /// A row has a value that its property's type cannot read, or lacks one apart from it that it must have.
    case unreadableValue
    /// A transaction of the history cannot be read, or the last one has a number from which there is no going on.
    case unreadableHistory
  }

  public var kind: Kind
  /// The store's file; nil in memory.
  public var url: URL?
  /// The model or table that it concerns; nil where it is the file as a whole.
  public var entityName: String?
  /// The row that it concerns, by its number in the table.
  public var row: Int64?
  /// What was found, in a sentence.
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
