public import Foundation

/// A file by which one program at a time has something.
public enum ProgramFileLock {
  /// What came of it.
  public enum Outcome {
    /// It is this program's until it ends, however it ends.
    case taken
    /// Another program has it.
    case isAnothers
    /// The file cannot be opened, by `errno`.
    case failed(Int32)
  }

  /// Takes it.
  ///
  /// - Parameters:
  ///   - file: The file, which is made if it is not there.
  ///   - patience: How long a program that is about to end is waited for, in seconds.
  public static func take(_ file: URL, patience: TimeInterval) -> Outcome {
    // Kept open: the kernel lets go of it with the program.
    let descriptor = open(file.path(percentEncoded: false), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return .failed(errno) }
    let end = ContinuousClock.now + .seconds(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < end else {
        close(descriptor)
        return .isAnothers
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
    return .taken
  }
}
