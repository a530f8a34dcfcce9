#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// Takes one coding off a body: is fed a piece, and gives of it as much at a time as it has room for.
  final class ContentDecoder {
    /// Why there is no more.
    enum Failure: Error {
      /// It is not of this coding.
      case damaged
      case noMemory
    }

    /// 64 KiB, what libcurl reads at a time: whoever is paused has so much more, however much a piece becomes.
    static let capacity = 64 << 10

    private let decoder: OpaquePointer
    /// What it writes to. Made once, since most bodies fit.
    private let room: UnsafeMutableRawBufferPointer
    private var input = Data()
    private var taken = 0

    init(_ coding: ContentCoding) throws(Failure) {
      guard let decoder = clh_decoder_open(coding.code) else { throw .noMemory }
      self.decoder = decoder
      room = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
      clh_decoder_close(decoder)
      room.deallocate()
    }

    /// Whether what it was fed may be the whole of a body.
    var isWhole: Bool { clh_decoder_is_whole(decoder) }

    /// Gives it the next piece, once it has no more of the last one.
    func feed(_ piece: Data) {
      input = piece
      taken = 0
    }

    /// The next bytes; nil where it wants another piece.
    func next() throws(Failure) -> Data? {
      var (read, made) = (0, 0)
      let result = input.withUnsafeBytes { bytes in
        let rest = bytes[taken...]
        return clh_decoder_decode(
          decoder, rest.isEmpty ? nil : bytes.baseAddress.map { ($0 + taken).assumingMemoryBound(to: UInt8.self) },
          rest.count, &read, room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count, &made)
      }
      taken += read
      switch result {
      case CLH_DECODED: break
      case CLH_DECODING_NO_MEMORY: throw .noMemory
      default: throw .damaged
      }
      guard made > 0 else {
        input = Data()
        taken = 0
        return nil
      }
      return Data(room[..<made])
    }
  }
#endif
