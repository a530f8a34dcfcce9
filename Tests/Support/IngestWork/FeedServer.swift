package import Foundation

/// Serves a feed on the loopback, once, as fast as it is taken and no faster.
package final class FeedServer: Sendable {
  private let feed: Feed
  private let listener: Int32
  package let url: URL

  package init(_ feed: Feed) throws {
    self.feed = feed
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
      throw CocoaError(.featureUnsupported)
    }
    self.listener = listener
    self.url = url
    Thread.detachNewThread { [self] in serve() }
  }

  private func serve() {
    let client = accept(listener, nil, nil)
    close(listener)
    guard client >= 0 else { return }
    defer { close(client) }
    var request = [UInt8](repeating: 0, count: 4_096)
    _ = recv(client, &request, request.count, 0)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    guard send(Array(head.utf8), to: client) else { return }
    for piece in Feed.Pieces(feed: feed) {
      let size = "\(String(piece.count, radix: 16))\r\n"
      guard send(Array(size.utf8) + piece + Array("\r\n".utf8), to: client) else { return }
    }
    _ = send(Array("0\r\n\r\n".utf8), to: client)
  }

  private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Foundation.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
