#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a command as another program: what this process opens and closes would drop the locks that SQLite has here.
///
/// - Returns: Its exit status.
@discardableResult
func shell(_ command: String) -> Int32 {
  var words: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(command), nil]
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  guard posix_spawn(&child, "/bin/sh", nil, nil, &words, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while waitpid(child, &status, 0) == -1, errno == EINTR {}
  return status
}
