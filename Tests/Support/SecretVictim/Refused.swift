import CDurability
import Foundation
import LarderSecrets

/// Tries a file that is another user's.
func readAsNobody(_ path: String) async throws {
  guard larder_become_nobody() == 0 else { return print("cannot become nobody") }
  let name = SecretName(service: service, account: "account")
  do {
    print("read \(try await store(path).secret(for: name)?.count ?? -1)")
  } catch { print("read \(error.kindName)") }
  do {
    try await store(path).set(Secret("x"), for: name)
    print("written")
  } catch { print("write \(error.kindName)") }
}

/// Writes on a disk until that is full, and looks at what is there then.
func fillDisk(_ folder: String) async throws {
  let store = try store(folder + "/secrets")
  var kept = 0
  let large = repeatElement(UInt8(7), count: 10_000)
  do {
    while true {
      try await store.set(Secret(large), for: SecretName(service: service, account: "\(kept)"))
      kept += 1
    }
  } catch {
    print("stopped \(error.kindName)")
  }
  let there = try await store.names(of: service).count
  print("kept \(there == kept && kept > 0)")
  print("left \(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().joined(separator: " "))")
  try await store.remove(SecretName(service: service, account: "0"))
  try await store.set(Secret("small"), for: SecretName(service: service, account: "small"))
  print("again \(try await store.names(of: service).count == there)")
}

extension SecretError {
  var kindName: String {
    switch self {
    case .system(let call, _, let number): "\(call) \(number)"
    case .insecureFile(_, let unsafety): "\(unsafety)"
    default: "\(self)"
    }
  }
}
