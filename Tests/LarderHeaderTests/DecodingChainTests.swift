import DurabilityWork
import Encoders
import Foundation
import Testing

@testable import LarderHTTP

#if os(Linux)
  /// Content codings as they are taken off (RFC 9110, section 8.4.1).
  @Suite struct DecodingChainTests {
    private static func text(_ count: Int) -> Data {
      var random = SeededGenerator(seed: 11, count)
      return Data((0..<count).map { _ in UInt8.random(in: 0x61...0x70, using: &random) })
    }

    /// All of a body that comes in pieces of one size.
    private func decoded(
      _ body: Data, _ field: String, piece: Int = 16 << 10, limit: Int64 = .max
    ) throws -> Data {
      let chain = DecodingChain(ContentCoding.codings(in: field), limit: limit)
      var whole = Data()
      var rest = body
      while true {
        switch try chain.next() {
        case .chunk(let made):
          #expect(!made.isEmpty && made.count <= ContentDecoder.capacity)
          whole.append(made)
        case .needsInput:
          if rest.isEmpty {
            chain.feed(nil)
          } else {
            chain.feed(rest.prefix(piece))
            rest = rest.dropFirst(piece)
          }
        case .end:
          return whole
        }
      }
    }

    private func error(_ body: Data, _ field: String, limit: Int64 = .max) -> HTTPError? {
      do {
        _ = try decoded(body, field, limit: limit)
        return nil
      } catch {
        return error as? HTTPError
      }
    }

    @Test(arguments: Encoded.allCases, [0, 1, 100, 65_536, 300_000])
    func whatWasEncodedComesBack(_ coding: Encoded, size: Int) throws {
      let body = Self.text(size)
      let encoded = coding.data(body)
      for piece in [1, 7, 4_096, Int.max] where piece > 1 || size < 1_000 {
        #expect(try decoded(encoded, coding.name, piece: piece) == body, "pieces of \(piece)")
      }
    }

    /// The one thing that libcurl does not see.
    @Test(arguments: Encoded.allCases) func whatBreaksOffIsNoBody(_ coding: Encoded) {
      let encoded = coding.data(Self.text(2_000))
      for count in 1..<encoded.count {
        #expect(error(encoded.prefix(count), coding.name)?.kind == .interrupted(.compression), "\(count) bytes")
      }
    }

    @Test(arguments: Encoded.allCases) func whatIsDamagedIsNoBody(_ coding: Encoded) {
      let body = Self.text(2_000)
      let encoded = coding.data(body)
      var random = SeededGenerator(seed: 12, 0)
      var seen = 0
      for _ in 0..<500 {
        var damaged = encoded
        damaged[Int.random(in: 0..<encoded.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        if (try? decoded(damaged, coding.name)) != body { seen += 1 }
        // Those with a checksum give what was sent, or nothing.
        guard coding == .gzip || coding == .zlib || coding == .zstd else { continue }
        let given = try? decoded(damaged, coding.name)
        #expect(given == nil || given == body)
      }
      #expect(seen > 400)
    }

    /// Servers say that nothing is compressed.
    @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "unheard-of"]) func nothingIsNothing(
      _ field: String
    ) throws {
      #expect(try decoded(Data(), field).isEmpty)
    }

    @Test func members() throws {
      let (one, two) = (Self.text(70_000), Self.text(5))
      let both = Encoded.gzip.data(one) + Encoded.gzip.data(two)
      for piece in [1, 1_000, Int.max] { #expect(try decoded(both, "x-gzip", piece: piece) == one + two) }
      #expect(error(both.dropLast(), "gzip")?.kind == .interrupted(.compression))
      // Padding, which follows the last member.
      #expect(try decoded(both + Data(count: 100_000), "gzip", piece: 5) == one + two)
      #expect(
        try decoded(Encoded.gzip.data(one) + Data(count: 512) + Encoded.gzip.data(two), "gzip", piece: 7) == one + two)
      // What begins like a member, and is none.
      #expect(error(both + Data([0x1F]), "gzip")?.kind == .interrupted(.compression))
      let frames = Encoded.zstd.data(one) + Encoded.zstd.data(two)
      #expect(try decoded(frames, "zstd", piece: 3) == one + two)
      for coding in [Encoded.zlib, .bareDeflate, .brotli] {
        #expect(try decoded(coding.data(one) + Data(count: 9), coding.name, piece: 7) == one)
      }
    }

    @Test func several() throws {
      let body = Self.text(200_000)
      let twice = Encoded.brotli.data(Encoded.gzip.data(body))
      #expect(try decoded(twice, "gzip, br", piece: 9) == body)
      #expect(try decoded(twice, "GZIP ,identity,\tBR") == body)
      #expect(error(twice, "br, gzip")?.kind == .interrupted(.compression))
      #expect(error(twice.dropLast(2), "gzip, br")?.kind == .interrupted(.compression))
      // The outer one is whole, and what is in it breaks off.
      #expect(
        error(Encoded.brotli.data(Encoded.gzip.data(body).dropLast(9)), "gzip, br")?.kind == .interrupted(.compression))
      let often = (0..<5).reduce(body) { data, _ in Encoded.gzip.data(data) }
      #expect(try decoded(often, "gzip,gzip,gzip,gzip,gzip") == body)
      #expect(ContentCoding.codings(in: "gzip,gzip,gzip,gzip,gzip,gzip") == nil)
      #expect(ContentCoding.codings(in: " identity, ,") == [])
      #expect(ContentCoding.codings(in: "gzip, compress") == nil)
    }

    @Test func whatIsUnknownIsNotGuessed() {
      #expect(error(Data("{}".utf8), "compress")?.kind == .interrupted(.compression))
      #expect(error(Data("{}".utf8), "gzip")?.kind == .interrupted(.compression))
    }

    /// RFC 9659: a window of 8 MiB at most.
    @Test func aWindowThatIsTooLarge() throws {
      let body = Self.text(1_000)
      #expect(try decoded(Encoded.zstd(body, window: 23), "zstd") == body)
      #expect(error(Encoded.zstd(body, window: 24), "zstd")?.kind == .interrupted(.compression))
    }

    @Test(arguments: Encoded.allCases) func aLimit(_ coding: Encoded) throws {
      let encoded = coding.data(Data(count: 1 << 20))
      #expect(encoded.count < 4_096)
      #expect(try decoded(encoded, coding.name, limit: 1 << 20).count == 1 << 20)
      #expect(
        error(encoded, coding.name, limit: 1 << 20 - 1)?.kind == .tooLarge(.decompressedBody(limit: 1 << 20 - 1)))
    }

    /// What becomes of it on the way is of the limit, too.
    @Test func aLimitWithinTheWay() {
      let nothing = Encoded.brotli.data(Encoded.gzip.data(Data()) + Data(count: 10 << 20))
      #expect(error(nothing, "gzip, br", limit: 1 << 20)?.kind == .tooLarge(.decompressedBody(limit: 1 << 20)))
    }

    /// It stays failed, whatever is fed.
    @Test func onceIsForEver() {
      let chain = DecodingChain([.gzip], limit: .max)
      chain.feed(Data("no gzip".utf8))
      for _ in 0..<3 {
        #expect(throws: HTTPError.self) { try chain.next() }
        chain.feed(Encoded.gzip.data(Data("gzip".utf8)))
      }
    }
  }
#endif
