internal import CLarderTLS

/// The TLS context of a server, for its certificate, key and application protocol.
final class TLSServerContext: @unchecked Sendable {
  // Sendable: OpenSSL locks the state that connections share of a context, and the pointer never changes.
  private let context: UnsafeMutableRawPointer
  /// The length and name of the application protocol that the server offers, if any.
  private let applicationProtocol: UnsafeMutablePointer<UInt8>?

  init(_ identity: TestIdentity, applicationProtocol name: String? = nil) throws(TestCertificateError) {
    guard let context = identity.withCStrings({ clt_server_make($0, $1) }) else { throw TestCertificateError() }
    self.context = context
    applicationProtocol = name.map { name in
      let text = [UInt8(clamping: name.utf8.count)] + Array(name.utf8.prefix(255))
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
      copy.initialize(from: text, count: text.count)
      return copy
    }
    if let applicationProtocol { clt_server_speak(context, applicationProtocol) }
  }

  deinit {
    clt_server_free(context)
    applicationProtocol?.deallocate()
  }

  /// Performs a handshake. Returns `nil` if the handshake fails.
  func accept(_ descriptor: Int32) -> TLSConnection? { clt_accept(context, descriptor).map(TLSConnection.init) }
}

/// The server's side of a connection, which one thread uses.
final class TLSConnection: @unchecked Sendable {
  // Sendable: only the thread of the connection's script calls these methods; other threads end the underlying socket.
  private let connection: UnsafeMutableRawPointer

  init(_ connection: UnsafeMutableRawPointer) { self.connection = connection }

  deinit { clt_free(connection) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    Int(clt_read(connection, buffer.baseAddress, Int32(buffer.count)))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.isEmpty || clt_write(connection, bytes.baseAddress, Int32(bytes.count)) == bytes.count
  }

  func finish() { clt_finish(connection) }
}
