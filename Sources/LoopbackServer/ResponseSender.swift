import CLoopbackServer
import CMicroHTTPD
import Foundation
import Synchronization

/// Passes a response to libmicrohttpd, on its connection's thread.
struct ResponseSender {
  /// The size of the buffer that libmicrohttpd passes to a reader; its own default for such responses is similar.
  private static let blockSize = 32 << 10

  let core: ServerCore
  let connection: OpaquePointer

  func send(_ response: LoopbackServer.Response) -> MHD_Result {
    switch response.content {
    case .bytes(let body): return queue(response, makeResponse(body))
    case .truncated(let body, let declared): return queue(response, makeTruncatedResponse(body, declared: declared))
    case .stream(let start): return stream(response, start)
    case .hang:
      // The wait ends only when the peer disconnects or the server stops; refusing then closes the connection.
      _ = clb_wait(clb_connection_socket(connection), -1, core.stopping.readEnd)
      return .NO
    }
  }

  private func queue(_ response: LoopbackServer.Response, _ native: OpaquePointer?) -> MHD_Result {
    guard let native else { return .NO }
    defer { MHD_destroy_response(native) }
    for (name, value) in response.headers {
      // libmicrohttpd rejects line breaks and empty values; a header that would be lost is an error of the handler.
      guard MHD_add_response_header(native, name, value) == .YES else {
        return send(.text("The handler gave a header that cannot be sent: \(name)\n", status: 500))
      }
    }
    return MHD_queue_response(connection, UInt32(clamping: response.status), native)
  }

  private func makeResponse(_ body: Data) -> OpaquePointer? {
    body.withUnsafeBytes { bytes in
      // libmicrohttpd copies the buffer, and therefore does not write to it.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  }

  private func makeTruncatedResponse(_ body: Data, declared: Int) -> OpaquePointer? {
    let source = Unmanaged.passRetained(Truncated(body: body))
    return MHD_create_response_from_callback(
      UInt64(max(declared, body.count)), Self.blockSize,
      { context, position, buffer, size in
        guard let context, let buffer else { return contentReaderError }
        let body = Unmanaged<Truncated>.fromOpaque(context).takeUnretainedValue().body
        let rest = body.dropFirst(Int(clamping: position)).prefix(size)
        guard !rest.isEmpty else { return contentReaderError }
        rest.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: size))
        return rest.count
      }, source.toOpaque(), { context in context.map { Unmanaged<Truncated>.fromOpaque($0).release() } })
  }

  private func stream(
    _ response: LoopbackServer.Response, _ start: @Sendable (LoopbackServer.StreamWriter) -> Void
  ) -> MHD_Result {
    guard let signal = try? Signal() else {
      return send(.text("No descriptors are left for another stream.\n", status: 503))
    }
    // A silent stream is no idle connection.
    clb_never_time_out(connection)
    let writer = LoopbackServer.StreamWriter(signal: signal)
    let source = Unmanaged.passRetained(
      Stream(writer: writer, socket: clb_connection_socket(connection), core: core))
    let native = MHD_create_response_from_callback(
      UInt64.max, Self.blockSize,
      { context, _, buffer, size in
        guard let context, let buffer else { return contentReaderError }
        let stream = Unmanaged<Stream>.fromOpaque(context).takeUnretainedValue()
        return stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
      }, source.toOpaque(),
      { context in
        guard let context else { return }
        let stream = Unmanaged<Stream>.fromOpaque(context).takeRetainedValue()
        stream.close()
      })
    guard native != nil else {
      source.takeRetainedValue().close()
      return .NO
    }
    start(writer)
    return queue(response, native)
  }
}

/// `MHD_CONTENT_READER_END_OF_STREAM` and `…_WITH_ERROR`, macros with casts that Swift does not import.
private let contentReaderEnd = -1
private let contentReaderError = -2

private final class Truncated {
  let body: Data
  init(body: Data) { self.body = body }
}

/// A streamed response: it sleeps until there are bytes to send, or the client has disconnected.
private final class Stream {
  let writer: LoopbackServer.StreamWriter
  let socket: Int32
  let core: ServerCore

  init(writer: LoopbackServer.StreamWriter, socket: Int32, core: ServerCore) {
    self.writer = writer
    self.socket = socket
    self.core = core
    core.streams.withLock { $0[ObjectIdentifier(writer)] = writer }
  }

  func close() {
    writer.close()
    core.streams.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(writer)) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      // Lowered before the check: a write in between raises the signal again.
      writer.signal.lower()
      switch writer.next(into: buffer) {
      case .copied(let count): return count
      case .end: return contentReaderEnd
      case .abort: return contentReaderError
      case .wait: break
      }
      let reason = clb_wait(socket, writer.signal.readEnd, core.stopping.readEnd)
      if reason & (CLB_DISCONNECTED | CLB_STOPPED) != 0 { return contentReaderError }
    }
  }
}
