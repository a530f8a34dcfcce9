import CLarderSecrets

/// Kernel settings for a process that holds secrets.
public enum ProcessHardening {
  /// Disables core dumps for the rest of the process's life: a core dump contains all secrets in memory.
  ///
  /// ```swift
  /// @main struct App {
  ///   static func main() throws {
  ///     try ProcessHardening.disableCoreDumps()
  ///     // …
  ///   }
  /// }
  /// ```
  ///
  /// Call this function first. It sets the core size limit to 0, also for child processes, and on Linux it makes the process not
  /// dumpable: cores that are piped to a program are not written either, and no debugger or other process of the same user can read
  /// its memory, its environment or its `/proc` entries. Only root can, which is why Larder never calls this function itself. After
  /// `exec` the new program is dumpable again.
  ///
  /// Swift's own backtraces of a crash show registers and memory on the standard error stream: set
  /// `SWIFT_BACKTRACE=enable=no` in the program's environment.
  ///
  /// This function does not prevent memory from being swapped out: encrypt the swap, or set `MemorySwapMax=0` in the service's
  /// unit.
  ///
  /// - Throws: ``SecretError/system(_:file:errno:)`` if the system rejects a setting.
  public static func disableCoreDumps() throws(SecretError) {
    let result = cls_harden_process()
    guard result == 0 else { throw .system(.harden, file: "", errno: result) }
  }
}
