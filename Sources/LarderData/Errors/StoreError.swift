public import Foundation
public import LarderSQLite

/// The error of opening, reading or writing a store, with its remedy.
///
/// Apple's SwiftData throws only `SwiftDataError.loadIssueModelContainer`; this error names the cause. The errors of opening a
/// store also match `catch SwiftDataError.loadIssueModelContainer`.
public struct StoreError: Error, Sendable {
  /// The kind of the error.
  public enum Code: String, Sendable {
    /// The tables in the file differ from those of the models, and cannot be migrated when the file is opened.
    case schemaMismatch
    /// Existing rows have the same value for a new uniqueness constraint.
    case duplicateValues
    /// The models lack a property that has values in the file, and these must not be removed (``MigrationOptions/removedValues``).
    case valueLoss
    /// The file has a later version of the models than the program.
    case newerSchema
    /// The file has a version of the models that the migration plan does not know.
    case unknownSchema
    /// The migration plan has no stages from the file's version to a version of the container's models.
    case incompletePlan
    /// A later version of Larder created the file.
    case newerFormat
    /// The file is an SQLite database of another program.
    case foreignDatabase
    /// An import into the file, by the command `larder`, is not finished.
    case unfinishedImport
    /// The file is not an SQLite database.
    case notADatabase
    /// The store's metadata table is missing or incomplete.
    case damagedMetadata
    /// The file cannot be opened, created or read: missing permissions, a missing folder, or a failing disk.
    case cannotOpen
    /// The store was opened read-only, or its file cannot be written.
    case readOnly
    /// The disk, or the quota, is full.
    case diskFull
    /// Another writer locked the store for longer than the stated limit.
    case busy
    /// The file is damaged.
    case corrupt
    /// Reading or writing failed below SQLite.
    case inputOutput
    /// Any other error of SQLite.
    case database
  }

  /// The kind of the error.
  public var code: Code
  /// The store's file, or `nil` for a store in memory.
  public var url: URL?
  /// A description of the error and of its remedy, in sentences.
  public var explanation: String
  /// The error of SQLite, or `nil` if SQLite reported none.
  public var underlying: SQLiteError?
  /// Whether the error occurred while a store was opened.
  package var occurredWhileOpening = false

  package init(_ code: Code, _ url: URL?, _ explanation: String, underlying: SQLiteError? = nil) {
    self.code = code
    self.url = url
    self.explanation = explanation
    self.underlying = underlying
  }
}

extension StoreError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { explanation }
  public var description: String { "\(code.rawValue): \(explanation)" }
}

extension StoreError: DetailedError {
  package var kind: SwiftDataError? {
    switch code {
    case .newerSchema: .backwardMigration
    case .unknownSchema: .unknownSchema
    default: occurredWhileOpening ? .loadIssueModelContainer : nil
    }
  }
}
