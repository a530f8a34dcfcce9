public import Foundation

/// The error of a save that wrote nothing. Stored rows are unchanged, and pending changes stay pending: correct them and save
/// again, or roll back.
///
/// `catch SwiftDataError.modelValidationFailure` also matches the errors that a model's values cause.
public struct SaveError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A value has no stored form: NaN, an integer above `Int64.max`, or a `Codable` value that fails to encode.
    case unstorableValue
    /// Two rows would have the same value for a uniqueness constraint.
    case uniquenessConflict
    /// Another context or process has deleted the row of an edited object, and the context's ``MergePolicy`` is `error`.
    case rowDeleted
    /// Another context or process has changed the row of an edited object, and the context's ``MergePolicy`` is `error`.
    case mergeConflict
    /// An object references a deleted object, and its relationship or the delete rule does not allow that deletion.
    case deletionDenied
    /// A to-many relationship has fewer or more objects than its model allows.
    case relationshipCount
    /// Another context or process has deleted a row that an object references.
    case referencedRowDeleted
    /// The configuration does not allow saving. Or an operation that saves by itself was called during a save or within a
    /// transaction.
    case savingNotAllowed
    /// The coding of a value edited the object that was being written, and the edit could not wait for the next save.
    case editedWhileSaving
    /// The changes of a transaction's block were discarded while it ran, so that the rest is not saved either.
    case transactionRolledBack
  }

  public var code: Code
  public var entityName: String
  /// The properties that caused the error.
  public var properties: [String]
  /// The rows that caused the error. The row to be saved comes first.
  public var identifiers: [PersistentIdentifier]
  /// A description of the error and of its remedy, in sentences.
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
