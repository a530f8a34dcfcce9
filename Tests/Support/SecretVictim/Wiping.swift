import Foundation
import LarderSecrets

/// Looks through this process's memory for a secret, while it is held and afterwards.
func lookForWhatWasWiped() throws {
  // In a page of its own, which is passed over, so that what is looked for is not found there.
  let needle = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
  var secret: Secret? = Optional(try SecretKey.random().base64())
  // Not its beginning, into which the allocator writes when the memory is free again.
  let (skipped, count) = (20, 24)
  secret!.withBytes { needle.copyMemory(from: $0.baseAddress! + skipped, byteCount: count) }
  // Through the ways by which secrets come in and are compared.
  var array = secret!.withBytes { Array($0) }
  var taken: Secret? = Secret(wiping: &array)
  print("equal \(taken == secret)")
  print("held \(occurrences(of: needle, count: count))")
  secret = nil
  taken = nil
  print("left \(occurrences(of: needle, count: count))")
}

/// How often bytes are in this process's own memory.
func occurrences(of needle: UnsafeMutableRawPointer, count: Int) -> Int {
  guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return -1 }
  let memory = open("/proc/self/mem", O_RDONLY)
  defer { close(memory) }
  let size = 1 << 20
  // Mapped by itself, too: a copy in the buffer would be found where the buffer lies.
  let buffer = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
  defer { munmap(buffer, size) }
  var found = 0
  for line in maps.split(separator: "\n") where line.contains(" rw-p ") {
    let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt(String($0), radix: 16) }
    guard bounds.count == 2 else { continue }
    var place = bounds[0]
    while place < bounds[1] {
      let read = pread(memory, buffer, min(size, Int(bounds[1] - place)), off_t(place))
      guard read > 0 else { break }
      var rest = buffer
      var left = read
      while left >= count, let hit = memchr(rest, Int32(needle.load(as: UInt8.self)), left - count + 1) {
        let address = place + UInt(bitPattern: hit - buffer)
        let isOurs =
          address == UInt(bitPattern: needle)
          || (UInt(bitPattern: buffer)..<UInt(bitPattern: buffer + size)).contains(address)
        if !isOurs, memcmp(hit, needle, count) == 0 { found += 1 }
        left -= hit + 1 - rest
        rest = hit + 1
      }
      // What lies across two readings is in the next one, whole.
      place += UInt(read == size ? read - count + 1 : read)
    }
  }
  return found
}
