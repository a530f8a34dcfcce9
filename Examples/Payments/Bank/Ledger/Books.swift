import ExampleSupport
import Foundation

/// The bank's books on disk, which outlive the program. One bank at a time keeps them.
struct Books: Sendable, Hashable {
  let file: URL

  /// Keeps others away until the program ends, however it ends.
  ///
  /// - Parameter patience: How long one that is about to end is waited for, in seconds.
  func lock(patience: TimeInterval = 2) throws {
    switch ProgramFileLock.take(file.appendingPathExtension("lock"), patience: patience) {
    case .taken: return
    case .isAnothers: throw Misunderstood(description: "The books are kept by another bank: stop its program first.")
    case .failed(let number):
      throw Misunderstood(
        description: "The books cannot be opened: \(String(cString: strerror(number))). See that the folder of "
          + "\(file.path) is there, and is this user's.")
    }
  }

  /// What is in them; nothing where there are none yet.
  func read() throws -> [BookedPayment] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let what = "the bank's books"
    let data = try Files.read(file, what, advice: "See that the file is this user's.")
    do {
      return try JSONDecoder().decode([BookedPayment].self, from: data)
    } catch {
      throw FileTrouble(
        file, what, "cannot be understood", advice: "Restore them from a backup, or move them away to begin with none.")
    }
  }

  /// What the bank calls itself, which is the same for as long as there are these books.
  func name() throws -> String {
    let file = file.appendingPathExtension("name")
    if let name = try? String(contentsOf: file, encoding: .utf8), !name.isEmpty { return name }
    let name = UUID().uuidString
    try Data(name.utf8).write(to: file, options: .atomic)
    return name
  }

  func write(_ payments: [BookedPayment]) throws {
    // Account numbers are in it: nobody else may read it, at no moment.
    let mask = umask(0o077)
    defer { umask(mask) }
    try JSONEncoder().encode(payments).write(to: file, options: .atomic)
  }
}
