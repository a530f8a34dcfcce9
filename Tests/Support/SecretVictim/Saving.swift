import CDurability
import LarderSecrets

let service = "victim"

/// Saves a counter and one of eight others with the same number, until it is killed, and notes how far it is.
func saveForEver(_ store: EncryptedFileSecretStore, page: String) async throws {
  guard let marks = larder_marks_map(page) else { return print("no page") }
  let counter = SecretName(service: service, account: "counter")
  var save = try await store.secret(for: counter)?.text().flatMap { Int64($0) } ?? 0
  larder_marks_ready(marks, save)
  while true {
    save += 1
    larder_marks_begun(marks, save)
    try await store.set(Secret("\(save)"), for: counter)
    larder_marks_returned(marks, save)
    // Of another length each time, up to some pages.
    let other = SecretName(service: service, account: "other\(save % 8)")
    try await store.set(Secret(repeatElement(UInt8(save % 251), count: Int(save * 97 % 20_000))), for: other)
  }
}

/// Adds secrets that nobody else adds.
func add(to store: EncryptedFileSecretStore, prefix: String, count: Int) async throws {
  for number in 0..<count {
    try await store.set(Secret("\(prefix)\(number)"), for: SecretName(service: service, account: "\(prefix)\(number)"))
  }
  print("added")
}
