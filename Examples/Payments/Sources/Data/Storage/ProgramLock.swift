import ExampleSupport
import Foundation

/// One program at a time pays from a store.
///
/// Two could both take an order of one name that neither has seen: of what is unique the one that is stored last stays, and
/// with it its key.
enum ProgramLock {
  /// Keeps other programs away until this one ends, however it ends.
  ///
  /// - Parameters:
  ///   - store: The store's file.
  ///   - patience: How long one that is about to end is waited for, in seconds.
  static func take(beside store: URL, patience: TimeInterval = 5) throws {
    try PaymentStack.makeFolder(of: store)
    let file = store.deletingPathExtension().appendingPathExtension("lock")
    switch ProgramFileLock.take(file, patience: patience) {
    case .taken: return
    case .isAnothers:
      throw Misunderstood(description: "Another program pays from this store: \(store.path). Stop it first.")
    case .failed(let number):
      throw Misunderstood(
        description: "\(file.path) cannot be opened: \(String(cString: strerror(number))). See that its "
          + "folder and the file itself are this user's, or name another store.")
    }
  }
}
