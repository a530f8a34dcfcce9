/// The plaintext of a file of secrets: the number of secrets, then service, account and secret of each, with the length before each
/// of them. Numbers have four bytes, little-endian.
enum SecretEntries {
  static func encoded(_ secrets: [SecretName: Secret]) -> SecretBytes {
    let sorted = secrets.sorted { $0.key < $1.key }
    let count = sorted.reduce(4) { sum, entry in
      sum + 12 + entry.key.service.utf8.count + entry.key.account.utf8.count + entry.value.count
    }
    return SecretBytes(count: count) { memory in
      var place = 0
      func put(_ number: Int) {
        for shift in 0..<4 { memory[place + shift] = UInt8(truncatingIfNeeded: number >> (8 * shift)) }
        place += 4
      }
      func put(_ text: String) {
        put(text.utf8.count)
        for byte in text.utf8 {
          memory[place] = byte
          place += 1
        }
      }
      put(sorted.count)
      for (name, secret) in sorted {
        put(name.service)
        put(name.account)
        put(secret.count)
        secret.withBytes { UnsafeMutableRawBufferPointer(rebasing: memory[place...]).copyMemory(from: $0) }
        place += secret.count
      }
    }
  }

  /// Returns the secrets, or `nil` for bytes of another form: another program with the key may have written them.
  static func decoded(_ bytes: SecretBytes) -> [SecretName: Secret]? {
    bytes.withBytes { bytes in
      var rest = bytes[...]
      func number() -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return (0..<4).reduce(0) { $0 | Int(rest[rest.startIndex + $1]) << (8 * $1) }
      }
      func part() -> UnsafeRawBufferPointer? {
        guard let count = number(), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
      }
      func text() -> String? { part().flatMap { Secret(SecretBytes(copying: $0)).text() } }

      guard let count = number() else { return nil }
      var secrets: [SecretName: Secret] = [:]
      for _ in 0..<count {
        guard let service = text(), let account = text(), let secret = part() else { return nil }
        let name = SecretName(service: service, account: account)
        guard secrets.updateValue(Secret(SecretBytes(copying: secret)), forKey: name) == nil else { return nil }
      }
      return rest.isEmpty ? secrets : nil
    }
  }
}
