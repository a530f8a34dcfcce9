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
    // By whatever name it is known: a link leads to the same store.
    let store = store.resolvingSymlinksInPath()
    let file = lock(of: store)
    try refuseEmptied(store, file)
    try take(file, of: store, patience)
    // The store itself, too: the file beside it may be removed, or lie beside another name of the store.
    try take(store, of: store, patience)
  }

  private static func take(_ file: URL, of store: URL, _ patience: TimeInterval) throws {
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

  /// Notes that a store is there, in the file of its lock, if it has one.
  static func noteUse(of store: URL) throws {
    let file = lock(of: store.resolvingSymlinksInPath())
    guard size(of: file) == 0 else { return }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data("used\n".utf8))
    try handle.synchronize()
    try handle.close()
  }

  private static func lock(of store: URL) -> URL { store.deletingPathExtension().appendingPathExtension("lock") }

  /// In bytes; -1 where there is no file.
  private static func size(of file: URL) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int) ?? -1
  }

  /// A store that was used and has no bytes has lost what was paid from it, and would pay it again.
  private static func refuseEmptied(_ store: URL, _ lock: URL) throws {
    guard size(of: store) == 0, size(of: lock) > 0, size(of: URL(filePath: store.path + "-wal")) <= 0 else { return }
    throw FileTrouble(
      store, "the store", "is empty, though it was used",
      advice: "Restore it from a backup. If nothing was ever paid from it, remove it.")
  }
}
