import Foundation

/// The recorded choice of the system's store, made when there were no secrets yet: a word in a file next to that of the secrets.
struct StoreChoice: Sendable {
  private static let queue = BlockingQueue(label: "larder.secrets.choice")
  private static let lockTimeout = Duration.seconds(30)
  private static let maximumFileSize = 64

  private let secrets: URL
  private let file: URL

  init(file: URL) {
    secrets = file
    self.file = file.deletingLastPathComponent().appending(path: file.lastPathComponent + ".store")
  }

  /// Returns the recorded choice, or `nil` if there is none.
  func readKind() async throws(SecretError) -> SystemSecretStore.Kind? {
    try await Self.queue.run { [self] () throws(SecretError) in try read(SecretFolder(of: file)) }
  }

  /// Records a choice unless there is one, and returns the recorded choice.
  func recordKind(_ kind: SystemSecretStore.Kind) async throws(SecretError) -> SystemSecretStore.Kind {
    try await Self.queue.run { [self] () throws(SecretError) in
      let folder = try SecretFolder(of: file)
      return try folder.withLock(timeout: Self.lockTimeout) { (lock) throws(SecretError) in
        if let former = try read(folder) { return former }
        try folder.replace(with: Array("\(kind.rawValue)\n".utf8), under: lock)
        return kind
      }
    }
  }

  private func read(_ folder: borrowing SecretFolder) throws(SecretError) -> SystemSecretStore.Kind? {
    guard let bytes = try folder.read(limit: Self.maximumFileSize) else {
      // Existing secrets are in that file.
      return try SecretFolder(of: secrets).fileExists ? .encryptedFile : nil
    }
    let word = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let kind = SystemSecretStore.Kind(rawValue: word), kind != .keychain else {
      throw .notASecretFile(file: folder.filePath)
    }
    return kind
  }
}
