package import Foundation
import LarderSQLite

extension StoreError {
  /// The maximum number of problems, or values, that an error lists.
  package static let maximumListedProblems = 8

  package static func storeDescription(_ url: URL) -> String { "The store at \(url.path(percentEncoded: false))" }

  package static func list(_ items: [String], separator: String = "; ") -> String {
    let more = items.count - maximumListedProblems
    return items.prefix(maximumListedProblems).joined(separator: separator)
      + (more > 0 ? "\(separator)and \(more) more" : "")
  }

  /// - Parameter unknown: The parts of the store that the models lack, if a newer program may have added them.
  package static func notMigratable(_ url: URL, _ problems: [String], unknown: [String] = []) -> StoreError {
    let newer =
      unknown.isEmpty
      ? ""
      : "The store has what these models have not (\(list(unknown, separator: ", "))): a newer program may have made that, and "
        + "then it is the one to use. "
    return StoreError(
      .schemaMismatch, url,
      "\(storeDescription(url)) was made for other models, and can't be brought to these by itself: \(list(problems)). Change the "
        + "models, or let a custom stage of a migration plan do it: its willMigrate puts values right, its didMigrate gives "
        + "values to what is new. \(newer)The file is as it was.")
  }

  static func migrationNeeded(_ url: URL, _ differences: [String], isOpen: Bool) -> StoreError {
    StoreError(
      .schemaMismatch, url,
      "\(storeDescription(url)) was made for other models: \(list(differences)). "
        + (isOpen
          ? "It is open in this program, and can't be brought to these meanwhile: let go of the container that has it."
          : "It was opened for reading only, and can't be brought to these: open it for writing once.")
        + " The file is as it was.")
  }

  static func migratedConcurrently(_ url: URL, _ differences: [String]) -> StoreError {
    StoreError(
      .schemaMismatch, url,
      "The store was migrated while it was open here, by another container of this program or by another process. \(storeDescription(url)) does not fit the models of this "
        + "container any more: \(list(differences)). What was not saved here before can't be saved by this container. Close "
        + "it, and open the store by the models that it has now; where this program does not have them, use the newer "
        + "program, since opening it by these would bring it back to them. The file is as the migration left it.")
  }

  /// Returns the error for a timeout, because another process writes for too long.
  static func busyBeforeMigration(_ url: URL, _ limit: Duration, _ error: SQLiteError) -> StoreError {
    StoreError(
      .busy, url,
      "\(storeDescription(url)) is to be migrated, and another process was writing to it for longer than \(limit) "
        + "(\(error.message)). It may be migrating the store itself, which takes its time: open it again later. This one has "
        + "changed nothing.", underlying: error)
  }
}
