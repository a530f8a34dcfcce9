#if os(Linux)
  import Flushes
  import Foundation
  import LarderSecrets

  /// Writes where the folder cannot be flushed, and looks at what is there then.
  func writeUnflushed(_ path: String) async throws {
    let name = SecretName(service: service, account: "account")
    try await store(path).set(Secret("former"), for: name)
    Flushes.watch { Flushes.isFolder($0) ? EIO : nil }
    do {
      try await store(path).set(Secret("new"), for: name)
      print("written")
    } catch { print("write \(error.kindName)") }
    print("read \(try await store(path).secret(for: name)?.text() ?? "nil")")
  }
#endif
