#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// A decoder of one coding: it receives a piece of a body, and returns as much of it at a time as its buffer holds.
  final class ContentDecoder {
    /// The reason why decoding failed.
    enum ContentDecodingError: Error {
      /// The data is not of this coding.
      case damaged
      case outOfMemory
    }

    /// 64 KiB, the size of libcurl's reads: this limits the additional memory of a paused reader, however much a piece expands.
    static let capacity = 64 << 10

    private let decoder: OpaquePointer
    /// The output buffer. Allocated once, since most bodies fit.
    private let outputBuffer: UnsafeMutableRawBufferPointer
    private var input = Data()
    private var consumedCount = 0

    init(_ coding: ContentCoding) throws(ContentDecodingError) {
      guard let decoder = clh_decoder_open(coding.code) else { throw .outOfMemory }
      self.decoder = decoder
      outputBuffer = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
      clh_decoder_close(decoder)
      outputBuffer.deallocate()
    }

    /// Whether the data so far may be a complete body.
    var isComplete: Bool { clh_decoder_is_whole(decoder) }

    /// Sets the next piece, after the last one was used up.
    func feed(_ piece: Data) {
      input = piece
      consumedCount = 0
    }

    /// Returns the next bytes, or nil if another piece is needed.
    func next() throws(ContentDecodingError) -> Data? {
      var (read, made) = (0, 0)
      let result = input.withUnsafeBytes { bytes in
        let rest = bytes[consumedCount...]
        return clh_decoder_decode(
          decoder,
          rest.isEmpty ? nil : bytes.baseAddress.map { ($0 + consumedCount).assumingMemoryBound(to: UInt8.self) },
          rest.count, &read, outputBuffer.baseAddress?.assumingMemoryBound(to: UInt8.self), outputBuffer.count, &made)
      }
      consumedCount += read
      switch result {
      case CLH_DECODED: break
      case CLH_DECODING_NO_MEMORY: throw .outOfMemory
      default: throw .damaged
      }
      guard made > 0 else {
        input = Data()
        consumedCount = 0
        return nil
      }
      return Data(outputBuffer[..<made])
    }
  }
#endif
