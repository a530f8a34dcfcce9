public import Foundation
public import LarderSQLite

extension SQLiteError: LocalizedError {
  /// A description of the error and of its remedy, with the beginning of the statement.
  public var errorDescription: String? { description }
}
