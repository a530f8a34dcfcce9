import CLarderSecrets

/// What a process that holds secrets asks of its kernel.
public enum ProcessHardening {
  /// Has this process leave no core when it crashes, for as long as it runs: a core holds all secrets that are in memory.
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
  /// Call it first. It sets the limit of a core's size to 0, also for the processes that this one begins, and on Linux it
  /// makes this process not dumpable: cores that are piped to a program are not written either, and no debugger or other
  /// process of the same user can look into its memory, its environment or its `/proc` entries. Neither can you, but as
  /// root; that is why nobody calls it for you. A program that this process turns into by `exec` is dumpable again.
  ///
  /// Swift's own backtraces of a crash show registers and memory on the standard error stream: set
  /// `SWIFT_BACKTRACE=enable=no` in the program's environment.
  ///
  /// It does not keep memory from being swapped out: encrypt the swap, or set `MemorySwapMax=0` in the service's unit.
  ///
  /// - Throws: ``SecretError/system(_:file:errno:)``, where the system refuses.
  public static func disableCoreDumps() throws(SecretError) {
    let result = cls_harden_process()
    guard result == 0 else { throw .system(.harden, file: "", errno: result) }
  }
}
