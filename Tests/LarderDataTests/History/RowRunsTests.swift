import Foundation
import TestSeeds
import Testing

@testable import LarderData

/// Lists of rows as history writes them.
@Suite struct RowRunsTests {
  private func text(_ runs: RowRuns) -> String {
    var text = HistoryJSONWriter()
    runs.encode(to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func rowsAreDistances() {
    #expect(text(RowRuns([])) == "[]")
    #expect(text(RowRuns([7])) == "[7]")
    #expect(text(RowRuns([4, 5, 6, 10])) == "[4,-2,4]")
    #expect(text(RowRuns([10, 5, 4, 6, 5])) == "[4,-2,4]")
    #expect(text(RowRuns([1, .max])) == "[1,9223372036854775806]")
    // As other programs may number them.
    #expect(text(RowRuns([0, 1])) == "[0,-1]")
    #expect(text(RowRuns([-7, -5])) == "[-7,2]")
    // Further apart than a number can say: the row itself.
    #expect(text(RowRuns([.min, 5, 6, 9])) == "[-9223372036854775808,0,5,-1,3]")
  }

  @Test func whatIsWrittenIsRead() throws {
    var random = Share.generator
    for _ in 0..<200 {
      let bound = Int64.random(in: 1...1_000, using: &random)
      let rows = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        Int64.random(in: -bound...bound, using: &random)
      }
      let read = try JSONDecoder().decode(RowRuns.self, from: Data(text(RowRuns(rows)).utf8))
      #expect(Array(read) == Set(rows).sorted(), "LARDER_SEED=\(random.seed)")
      #expect(read.count == Int64(Set(rows).count), "LARDER_SEED=\(random.seed)")
    }
  }

  @Test func rowsFarApartAreRead() throws {
    for rows in [[.min, 5, 6, 9], [.min, -1, .max], [.min, .max - 1, .max], [-2, .max]] as [[Int64]] {
      let read = try JSONDecoder().decode(RowRuns.self, from: Data(text(RowRuns(rows)).utf8))
      #expect(Array(read) == rows)
    }
  }

  @Test(arguments: [
    "[5,0]", "[5,0,5]", "[5,0,0,7]", "[0,0]", "[9223372036854775807,1]", "[9223372036854775807,-1]",
    "[1,-9223372036854775808]",
    "[1,-4294967296]", "[1,-9223372036854775807]",
  ])
  func whatNoRowsLedToIsRefused(_ json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RowRuns.self, from: Data(json.utf8)) }
  }
}
