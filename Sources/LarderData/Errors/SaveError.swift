public import Foundation

/// Why a save wrote nothing. What was stored stays, and what is pending stays pending: mend it and save again, or roll
/// back.
///
/// `catch SwiftDataError.modelValidationFailure` matches those that a model's values cause, too.
public struct SaveError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A value has no stored form: NaN, an integer above `Int64.max`, a Codable value that fails to encode.
    case unstorableValue
    /// Two rows would share what a uniqueness constraint says is one row's own.
    case uniquenessConflict
    /// An edited object's row has been deleted by somebody else, and the context's ``MergePolicy`` is `error`.
    case rowDeleted
    /// An edited object's row has been changed by somebody else, and the context's ``MergePolicy`` is `error`.
    case mergeConflict
    /// An object refers to what is to be deleted, and its relationship or the delete rule does not allow that.
    case deletionDenied
    /// A to-many relationship has fewer or more objects than its model allows.
    case relationshipCount
    /// A row that an object refers to has been deleted by somebody else.
    case referencedRowDeleted
    /// The configuration does not allow saving, or what is a save by itself was asked for within another, or within a
    /// transaction.
    case savingNotAllowed
    /// A value's own coding edited what was just being written, where that could not be left for the next save.
    case editedWhileSaving
    /// What a block of a transaction did was dropped while it ran, so that the rest is not saved either.
    case transactionRolledBack
  }

  public var code: Code
  public var entityName: String
  /// The properties in question.
  public var properties: [String]
  /// The rows in question; the one that was to be saved comes first.
  public var identifiers: [PersistentIdentifier]
  /// What happened and what to do, in sentences.
  public var explanation: String

  package init(
    _ code: Code, entityName: String, properties: [String] = [], identifiers: [PersistentIdentifier] = [],
    _ explanation: String
  ) {
    self.code = code
    self.entityName = entityName
    self.properties = properties
    self.identifiers = identifiers
    self.explanation = explanation
  }
}

extension SaveError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { explanation }
  public var description: String { "\(code.rawValue): \(explanation)" }
}

extension SaveError: DetailedError {
  package var kind: SwiftDataError? {
    switch code {
    case .unstorableValue, .uniquenessConflict, .deletionDenied, .relationshipCount: .modelValidationFailure
    case .rowDeleted, .mergeConflict, .referencedRowDeleted, .savingNotAllowed, .transactionRolledBack,
      .editedWhileSaving:
      nil
    }
  }
}
