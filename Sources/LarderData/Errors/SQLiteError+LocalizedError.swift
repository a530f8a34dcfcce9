public import Foundation
public import LarderSQLite

extension SQLiteError: LocalizedError {
  /// The error's description: what happened and what to do, with the beginning of the statement.
  public var errorDescription: String? { description }
}
