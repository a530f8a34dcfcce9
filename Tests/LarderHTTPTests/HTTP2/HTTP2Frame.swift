import Foundation
import Synchronization

/// A frame of HTTP/2 (RFC 9113, section 4.1).
struct HTTP2Frame: Sendable {
  static let data: UInt8 = 0, headers: UInt8 = 1, reset: UInt8 = 3, settings: UInt8 = 4, ping: UInt8 = 6
  static let goAway: UInt8 = 7, windowUpdate: UInt8 = 8, continuation: UInt8 = 9
  static let endStream: UInt8 = 0x1, acknowledgement: UInt8 = 0x1, endHeaders: UInt8 = 0x4

  var type: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload = Data()

  var endsStream: Bool { (type == Self.headers || type == Self.data) && flags & Self.endStream != 0 }

  var bytes: Data {
    Data([
      UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), type, flags,
    ])
      + stream.bytes + payload
  }
}

extension HTTP2Frame {
  /// The head of an answer, its fields written out (RFC 7541, section 6.2.2), in frames of 16 KiB at most.
  static func head(
    _ status: Int, _ stream: UInt32, fields: [(String, String)] = [], isEnd: Bool = false
  ) -> [HTTP2Frame] {
    var block = Data([0x08]) + text("\(status)")
    for (name, value) in fields { block += Data([0x00]) + text(name) + text(value) }
    var frames: [HTTP2Frame] = []
    repeat {
      let isFirst = frames.isEmpty
      let part = block.prefix(16_384)
      block = Data(block.dropFirst(16_384))
      let flags = (isFirst && isEnd ? endStream : 0) | (block.isEmpty ? endHeaders : 0)
      frames.append(
        HTTP2Frame(type: isFirst ? headers : continuation, flags: flags, stream: stream, payload: Data(part)))
    } while !block.isEmpty
    return frames
  }

  /// A string, its length as an integer with a prefix of seven bits (RFC 7541, sections 5.1 and 5.2).
  private static func text(_ text: String) -> Data {
    var length = text.utf8.count
    guard length >= 127 else { return Data([UInt8(length)]) + text.utf8 }
    var bytes = Data([127])
    length -= 127
    while length >= 128 {
      bytes.append(UInt8(length & 0x7F) | 0x80)
      length >>= 7
    }
    return bytes + [UInt8(length)] + text.utf8
  }

  static func body(_ text: String, _ stream: UInt32) -> HTTP2Frame {
    HTTP2Frame(type: data, flags: endStream, stream: stream, payload: Data(text.utf8))
  }

  /// A stream that is ended, by the code of section 7.
  static func reset(_ stream: UInt32, _ code: UInt32) -> HTTP2Frame {
    HTTP2Frame(type: reset, stream: stream, payload: code.bytes)
  }

  /// More room for a client's data, of a stream or of the connection.
  static func room(_ count: UInt32, on stream: UInt32) -> HTTP2Frame {
    HTTP2Frame(type: windowUpdate, stream: stream, payload: count.bytes)
  }

  /// The connection is to end; no later stream than this was handled.
  static func goAway(last: UInt32) -> HTTP2Frame {
    HTTP2Frame(type: goAway, payload: last.bytes + UInt32(0).bytes)
  }
}

/// Takes what a client sends apart into frames.
final class HTTP2Reader: Sendable {
  /// The client's connection preface (section 3.4), which has this many bytes.
  private static let preface = 24
  private let state = Mutex((unread: Data(), hasPreface: false))

  func frames(adding data: Data) -> [HTTP2Frame] {
    state.withLock { state in
      state.unread += data
      if !state.hasPreface {
        guard state.unread.count >= Self.preface else { return [] }
        state.hasPreface = true
        state.unread = Data(state.unread.dropFirst(Self.preface))
      }
      var frames: [HTTP2Frame] = []
      while state.unread.count >= 9 {
        let head = Array(state.unread.prefix(9))
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard state.unread.count >= 9 + length else { break }
        let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        frames.append(
          HTTP2Frame(
            type: head[3], flags: head[4], stream: stream, payload: Data(state.unread.dropFirst(9).prefix(length))))
        state.unread = Data(state.unread.dropFirst(9 + length))
      }
      return frames
    }
  }
}

extension UInt32 {
  fileprivate var bytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}
