import DurabilityWork
import Foundation
import LarderSecrets

let token = SecretName(service: "api.example", account: "token")
let other = SecretName(service: "api.example", account: "other")

extension SecretKey {
  /// The victim's key.
  static let known = counting(from: 0)

  static func counting(from first: UInt8) -> SecretKey {
    do {
      return try SecretKey(bytes: first..<(first + 32))
    } catch {
      fatalError("\(error)")
    }
  }
}

extension ScryptCost {
  /// The least that is allowed.
  static let cheap = ScryptCost(logN: 10, blockSize: 8, parallelism: 1)
}

extension WorkFolder {
  func store(_ name: String = "secrets", key: SecretKey = .known) -> EncryptedFileSecretStore {
    EncryptedFileSecretStore(file: file(name), key: key)
  }

  func mode(_ name: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.posixPermissions] as? Int
  }

  /// Runs the victim to its end, and returns what it printed.
  func victim(_ arguments: String...) throws -> String {
    let process = try ChildProcess("SecretVictim", arguments, output: file("printed\(UUID().uuidString)"))
    _ = process.wait()
    return process.printed
  }
}

/// What an asynchronous closure throws.
func failure(_ body: () async throws -> Void) async -> SecretError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? SecretError
  }
}
