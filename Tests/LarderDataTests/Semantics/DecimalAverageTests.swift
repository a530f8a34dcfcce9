import Foundation
import SwiftData
import Testing

@testable import LarderData

@Model
final class Posting {
  var amount: Decimal
  var account: Int

  init(_ amount: Decimal, account: Int = 0) {
    self.amount = amount
    self.account = account
  }
}

/// Averages of Decimals, at the ends of what a Decimal can be.
@Suite struct DecimalAverageTests {
  static let figures: [(values: [String], average: String)] = [
    (["1e-100"], "1e-100"), (["1e-90"], "1e-90"), (["-3e-120", "1e-120"], "-1e-120"),
    (["1e-127", "2e-127"], "1.5e-127"),
    (["1e-128", "1e-128"], "1e-128"), (["2e-100", "2e-100", "1e-100"], "16666666666666666666666666667e-128"),
    // Their sum has more digits than a Decimal, the average has not.
    (["99999999999999999999999999999999999999", "1"], "50000000000000000000000000000000000000"),
    (["1e127", "1e127", "1e127", "1e127", "1e127", "1e127", "1e127", "1e127", "1e127", "1e127"], "1e127"),
    (["1e60", "1e-60", "-1e60", "1e-60"], "5e-61"), (["1", "2", "4"], "2.3333333333333333333333333333333333333"),
    (["-1", "1"], "0"), (["0"], "0"),
  ]

  @Test(arguments: figures)
  func averagesAreRightInBothHalves(_ values: [String], _ average: String) throws {
    let expected = try #require(Decimal(string: average))
    let store = try TestStore(.memory, Posting.self)
    let context = store.context()
    for value in values { context.insert(Posting(try #require(Decimal(string: value)))) }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let found = try #require(try context.average(of: \Posting.amount))
      #expect(!found.isNaN)
      // As far as 37 digits go: `/` may round the last one down.
      let difference = found > expected ? found - expected : expected - found
      #expect(difference == 0 || (expected != 0 && difference / abs(expected) < Decimal(string: "1e-36")!))
      let groups = try context.groups(by: \Posting.account, aggregating: .average(\.amount))
      #expect(groups.count == 1)
    }
  }

  @Test func averageThatNoDecimalIsThrows() throws {
    let store = try TestStore(.memory, Posting.self)
    let context = store.context()
    context.insert(Posting(try #require(Decimal(string: "1e-128"))))
    for _ in 0..<9 { context.insert(Posting(0)) }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let error = try #require(throws: FetchError.self) { try context.average(of: \Posting.amount) }
      #expect(error.code == .arithmetic)
      #expect(error.explanation.contains("average"))
      #expect(throws: FetchError.self) { try context.groups(by: \Posting.account, aggregating: .average(\.amount)) }
    }
  }
}
