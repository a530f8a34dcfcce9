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
    // Kept open: the kernel lets go of it with the program.
    let descriptor = open(file.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Misunderstood(
        description: "\(file.path) cannot be opened: \(String(cString: strerror(errno))). See that its "
          + "folder and the file itself are this user's, or name another store.")
    }
    let end = ContinuousClock.now + .seconds(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < end else {
        close(descriptor)
        throw Misunderstood(description: "Another program pays from this store: \(store.path). Stop it first.")
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }
}
