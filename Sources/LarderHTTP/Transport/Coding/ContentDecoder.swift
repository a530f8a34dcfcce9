#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// Takes one coding off a body: is fed a piece, and gives of it as much at a time as it has room for.
  final class ContentDecoder {
    /// Why there is no more.
    enum ContentDecodingError: Error {
      /// It is not of this coding.
      case damaged
      case outOfMemory
    }

    /// 64 KiB, what libcurl reads at a time: whoever is paused has so much more, however much a piece becomes.
    static let capacity = 64 << 10

    private let decoder: OpaquePointer
    /// What it writes to. Made once, since most bodies fit.
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

    /// Whether what it was fed may be the whole of a body.
    var isComplete: Bool { clh_decoder_is_whole(decoder) }

    /// Gives it the next piece, once it has no more of the last one.
    func feed(_ piece: Data) {
      input = piece
      consumedCount = 0
    }

    /// The next bytes; nil where it wants another piece.
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
