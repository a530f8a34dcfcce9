internal import Foundation

/// A reader of requests from a socket, one after the other.
final class RequestReader {
  let socket: RawSocket
  /// The request that was read last.
  var lastRequest: ScriptedServer.RecordedRequest?
  private var unread = Data()

  init(_ socket: RawSocket) { self.socket = socket }

  /// Reads the next request. Returns `nil` if the client has disconnected.
  func readRequest(withBody: Bool) -> ScriptedServer.RecordedRequest? {
    guard let head = read(through: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      let name = line[..<colon].lowercased()
      headers[name] = headers[name].map { $0 + ", " + value } ?? value
    }
    var request = ScriptedServer.RecordedRequest(
      method: String(words[0]), target: String(words[1]), headers: headers, body: Data(), connection: 0)
    guard withBody else { return request }
    if headers["transfer-encoding"]?.lowercased() == "chunked" {
      while let line = read(through: Data("\r\n".utf8)) {
        let size = Int(String(decoding: line.dropLast(2), as: UTF8.self).prefix { $0 != ";" }, radix: 16) ?? 0
        guard size > 0 else {
          // Skips trailers, which are rare, up to the empty line.
          while let trailer = read(through: Data("\r\n".utf8)), trailer.count > 2 {}
          return request
        }
        guard let chunk = readBytes(size), readBytes(2) != nil else { return nil }
        request.body += chunk
      }
      return nil
    }
    // An invalid length ends the connection, as an invalid request does.
    let length = headers["content-length"].map { Int($0) ?? -1 } ?? 0
    guard length >= 0, let body = readBytes(length) else { return nil }
    request.body = body
    return request
  }

  func skip(_ count: Int) { _ = readBytes(max(0, count)) }

  private func read(through end: Data) -> Data? {
    while true {
      if let range = unread.range(of: end) { return readBytes(range.upperBound - unread.startIndex) }
      guard let more = socket.receive() else { return nil }
      unread += more
    }
  }

  private func readBytes(_ count: Int) -> Data? {
    while unread.count < count {
      guard let more = socket.receive() else { return nil }
      unread += more
    }
    let taken = Data(unread.prefix(count))
    unread = Data(unread.dropFirst(count))
    return taken
  }
}
