import DurabilityWork
import Encoders
import Foundation
import Testing

@testable import LarderHTTP

#if os(Linux)
  /// Compressed bodies as a server sends them, in pieces: no more comes of them than was allowed, and of gzip, whose
  /// checksum cannot be left out, nothing but what was sent.
  @Suite(.serialized) struct DecodingFuzzTests {
    /// The whole of each, which `LARDER_SIZE=100` runs.
    private static let whole = 1_000_000
    private static let few = 5_000
    private static let limit: Int64 = 200_000

    /// Not as Data, whose storage the leak sanitizer does not find in a global.
    private static let bodies: [[UInt8]] = [
      [], Array("{}".utf8),
      Array((0..<40).map { "{\"id\": \($0), \"name\": \"n\($0 % 7)\"}" }.joined(separator: ",").utf8),
      Array(repeating: 0, count: 150_000), (0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31) },
    ]

    @Test(arguments: Encoded.allCases) func bodies(_ coding: Encoded) {
      let rounds = Share.rounds(of: Self.whole, atLeast: Self.few, thinned: 4)
      let guarded = Rounds("bodies by \(coding.rawValue)", rounds)
      defer { guarded.end() }
      let well = Self.bodies.map { Array(coding.data(Data($0))) }
      var taken = 0
      for round in 0..<rounds {
        guarded.begin(round)
        var random = SeededGenerator(seed: Share.seed, round)
        let bytes = Mutation.of(well[Int.random(in: 0..<well.count, using: &random)], well, &random)
        guard let whole = decoded(Data(bytes), coding.name, piece: Int.random(in: 1...2_000, using: &random)) else {
          continue
        }
        taken += 1
        if coding == .gzip { #expect(isSent(whole), "seed \(Share.seed): \(bytes)") }
      }
      print("seed \(Share.seed): \(taken) of \(rounds) were taken for bodies by \(coding.rawValue)")
      #expect(taken > 0 && taken < rounds, "seed \(Share.seed)")
    }

    /// Codings that nobody applied in that order, or at all: by their names and by bodies.
    @Test func chains() {
      let rounds = Share.rounds(of: Self.whole, atLeast: Self.few)
      let guarded = Rounds("chains of codings", rounds)
      defer { guarded.end() }
      let fields = ["gzip, br", "zstd", "deflate,gzip", "identity, x-gzip", "br, br, br, br, br"].map { Array($0.utf8) }
      let well = Self.bodies.map { Array(Encoded.brotli.data(Encoded.gzip.data(Data($0)))) }
      var taken = 0
      for round in 0..<rounds {
        guarded.begin(round)
        var random = SeededGenerator(seed: Share.seed, round)
        var field = fields[Int.random(in: 0..<fields.count, using: &random)]
        if Bool.random(using: &random) { field = Mutation.of(field, fields, &random) }
        var body = well[Int.random(in: 0..<well.count, using: &random)]
        if Bool.random(using: &random) { body = Mutation.of(body, well, &random) }
        let name = String(decoding: field, as: UTF8.self)
        if ContentCoding.codings(in: name)?.isEmpty == true { continue }
        if decoded(Data(body), name, piece: Int.random(in: 1...2_000, using: &random)) != nil { taken += 1 }
      }
      print("seed \(Share.seed): \(taken) of \(rounds) were taken for chains of codings")
      #expect(taken > 0 && taken < rounds, "seed \(Share.seed)")
    }

    /// Whether something is bodies that were sent, one after the other: members follow each other.
    private func isSent(_ whole: Data) -> Bool {
      whole.isEmpty
        || Self.bodies.contains { !$0.isEmpty && whole.starts(with: $0) && isSent(whole.dropFirst($0.count)) }
    }

    private func decoded(_ body: Data, _ field: String, piece: Int) -> Data? {
      let chain = DecodingChain(ContentCoding.codings(in: field), limit: Self.limit)
      var whole = Data()
      var rest = body
      while true {
        guard let step = try? chain.next() else { return nil }
        switch step {
        case .chunk(let made):
          whole.append(made)
          #expect(whole.count <= Self.limit && !made.isEmpty, "seed \(Share.seed)")
        case .needsInput:
          chain.feed(rest.isEmpty ? nil : rest.prefix(piece))
          rest = rest.dropFirst(piece)
        case .end: return whole
        }
      }
    }
  }
#endif
