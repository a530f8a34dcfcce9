public import Foundation
public import LarderSQLite

/// Why a store could not be opened, read or written, and what to do about it.
///
/// Where Apple's SwiftData throws `SwiftDataError.loadIssueModelContainer` and no more, this says what was found.
/// `catch SwiftDataError.loadIssueModelContainer` matches those that concern opening, too.
public struct StoreError: Error, Sendable {
  /// What kind of trouble it is.
  public enum Code: String, Sendable {
    /// The file holds tables of another shape than the models', and can't be brought to theirs as it is opened.
    case schemaMismatch
    /// Rows agree in what is to be unique from now on.
    case duplicateValues
    /// The models lack a property that has values, and these were not to go (``MigrationOptions/removedValues``).
    case valueLoss
    /// The file has a later version of the models than this program.
    case newerSchema
    /// The file has a version of the models that the migration plan does not know.
    case unknownSchema
    /// The migration plan leads from the file's version to no version of the container's models.
    case incompletePlan
    /// The file was made by a later version of Larder.
    case newerFormat
    /// The file is an SQLite database of another program.
    case foreignDatabase
    /// An import into the file, by the command `larder`, is not finished.
    case unfinishedImport
    /// The file is no SQLite database.
    case notADatabase
    /// The store's own table is missing or lacks what it must hold.
    case damagedMetadata
    /// The file cannot be opened, made or read: permissions, a missing folder, a disk that fails.
    case cannotOpen
    /// The store was opened for reading, or its file cannot be written.
    case readOnly
    /// The disk, or the quota, is full.
    case diskFull
    /// Another writer held the store for longer than the stated limit.
    case busy
    /// The file is damaged.
    case corrupt
    /// Reading or writing failed below SQLite.
    case inputOutput
    /// Anything else that SQLite reported.
    case database
  }

  public var code: Code
  /// The store's file; nil in memory.
  public var url: URL?
  /// What happened and what to do, in sentences.
  public var explanation: String
  /// What SQLite reported, where it did.
  public var underlying: SQLiteError?
  /// Whether a store was being opened.
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
