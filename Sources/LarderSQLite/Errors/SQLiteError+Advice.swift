extension SQLiteError {
  /// A sentence that tells the reader how to fix the failure.
  public var advice: String {
    if let reason { return reason.advice }
    if let arithmetic { return arithmetic.advice }
    if let advice = extendedCode.advice { return advice }
    return code.advice
  }
}

extension SQLiteError.Reason {
  var advice: String {
    switch self {
    case .recursiveWrite:
      "Use the connection that the outer write was given, or do the inner write after it."
    case .timedOut:
      "Try again later, and look for a transaction that is held open for long."
    case .closed:
      "Keep the database open for as long as it is used."
    case .notUTF8:
      "Convert it: dump it with sqlite3, and load it into a new database whose encoding is UTF-8."
    case .alreadyInTransaction:
      "Use a savepoint inside a transaction."
    case .notInTransaction:
      "Begin a transaction first."
    case .transactionLost:
      "Nothing of the transaction was stored; run it again as a whole."
    case .readOnlyDatabase:
      "Open it for writing."
    case .valueTooLong:
      "Store a value of this size in a file of its own."
    case .notOneStatement:
      "Give exactly one statement, or use execute(_:)."
    case .invalidPath:
      "Give a path that is not empty and has no NUL in it."
    case .fileReplaced:
      "Close what was opened, put back what is missing or restore a backup, and open it anew; nothing was written. No other "
        + "program may remove, replace or write the file, or those beside it (-wal, -shm), while it is open."
    case .unreadableLog:
      "Copy both to a place that can be written, and open it there once: its log is moved into it."
    }
  }
}

extension ExtendedResultCode {
  var advice: String? {
    switch self {
    case .unique, .primaryKey, .rowid: "A row with this key exists already: update it, or choose another key."
    case .notNull: "Give the column a value."
    case .foreignKey: "Store the row that is referred to first, or remove the references first."
    case .dataType: "Store a value of the column's type."
    case .busySnapshot: "End the read transaction, and write in a transaction that is immediate from its beginning."
    case .busyRecovery: "Another process is repairing the log after a crash; try again in a moment."
    case .commitHook: "Nothing was stored: end a transaction only by leaving its scope."
    case .readOnlyDirectory: "Make the folder writable: SQLite keeps its log beside the database."
    case .cantOpenIsDirectory: "The path names a folder; give the path of a file."
    default: nil
    }
  }
}

extension ResultCode {
  /// A sentence that tells the reader how to fix the failure.
  public var advice: String {
    switch self {
    case .busy: "Another process or connection holds the lock; try again later."
    case .locked: "Another statement of this connection is using the table; finish or reset it first."
    case .full: "Free some space on the disk (or raise the quota), then try again; nothing was stored."
    case .ioError: "Look at the disk, its mount and the kernel's log; what was committed before is safe."
    case .corrupt: "The file is damaged: keep a copy of it, and restore a backup or recover it with sqlite3 .recover."
    case .notADatabase: "The file is not an SQLite database, or is encrypted; it was left as it is. Check the path."
    case .cantOpen:
      "Check that the folder exists and that this user may read and write it and the file; one opened for reading only is "
        + "not made."
    case .readOnly: "Check the permissions of the file and its folder, or open the database for writing."
    case .permission, .authorization: "The connection's settings forbid this."
    case .constraint: "Correct the values so that they satisfy the constraint."
    case .mismatch: "Store a value of the column's type."
    case .tooBig: "Store a value of this size in a file of its own, or raise the limit in the settings."
    case .noMemory: "Free memory, or work in smaller batches."
    case .interrupted: "The work was interrupted on request; nothing of an unfinished transaction was stored."
    case .schemaChanged: "The tables were changed meanwhile; run the statement again."
    case .abort: "The transaction was rolled back meanwhile; run it again as a whole."
    case .protocol: "The file's locks behave oddly: is it on a network file system? Move it to a local disk."
    case .range: "The statement has no parameter of this number."
    case .misuse: "Reset a statement before binding to it, and use a connection on one thread at a time."
    default: "Check the SQL and the tables that it names."
    }
  }
}
