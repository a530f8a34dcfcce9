import Foundation
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

/// ORDER BY and the order in memory are one.
@Suite struct SortPlanTests {
  static var orders: [(String, [SortDescriptor<Specimen>])] {
    [
      ("name", [SortDescriptor(\.name)]), ("lexical", [SortDescriptor(\.name, comparator: .lexical)]),
      ("reverse", [SortDescriptor(\.name, order: .reverse)]),
      ("lexical reverse", [SortDescriptor(\.name, comparator: .lexical, order: .reverse)]),
      ("standard", [SortDescriptor(\.name, comparator: .localizedStandard)]),
      ("localized", [SortDescriptor(\.name, comparator: .localized, order: .reverse)]),
      ("optional text", [SortDescriptor(\.nickname), SortDescriptor(\.count)]),
      ("numbers", [SortDescriptor(\.rank), SortDescriptor(\.weight, order: .reverse)]),
      ("optional reverse", [SortDescriptor(\.rank, order: .reverse)]),
      ("decimal", [SortDescriptor(\.price)]), ("decimal reverse", [SortDescriptor(\.price, order: .reverse)]),
      ("member", [SortDescriptor(\.spot.latitude), SortDescriptor(\.spot.name, comparator: .lexical)]),
      ("nested member", [SortDescriptor(\.area.center.depth), SortDescriptor(\.area.title)]),
      ("optional composite's member", [SortDescriptor(\.place?.depth), SortDescriptor(\.place?.name)]),
      ("date and uuid", [SortDescriptor(\.end), SortDescriptor(\.identifier)]),
      ("unsigned", [SortDescriptor(\.unsigned), SortDescriptor(\.small)]),
    ]
  }

  @Test func bothHalvesAgree() throws {
    let laboratory = try Laboratory(seed: PredicateDifferentialTests.seed)
    var random = Share.generator
    for (name, order) in Self.orders {
      let plan = try SortPlan(order, layout: laboratory.layout)
      let stored = try laboratory.rows("ORDER BY \(plan.sql)")
      var sorted = Array(laboratory.values.indices).shuffled(using: &random)
      try plan.sort(&sorted) { place in
        try plan.rank(
          Int64(place), value: { laboratory.values[place][$0] }, relatedValue: { _, _ in .null },
          requirement: { _ in .null })
      }
      #expect(stored == sorted, "\(name): \(plan.sql), LARDER_SEED=\(random.seed)")
    }
  }

  @Test func text() throws {
    func sql(_ order: SortDescriptor<Specimen>...) throws -> String {
      try SortPlan(order, layout: Specimen._$layout).sql
    }
    #expect(try sql(SortDescriptor(\.name)) == #""name" COLLATE larder_localized_standard, larder_id"#)
    #expect(try sql(SortDescriptor(\.name, comparator: .lexical)) == #""name", larder_id"#)
    #expect(try sql(SortDescriptor(\.name, comparator: .localized)) == #""name" COLLATE larder_localized, larder_id"#)
    #expect(try sql(SortDescriptor(\.price, order: .reverse)) == #""price" COLLATE larder_decimal DESC, larder_id"#)
    #expect(try sql(SortDescriptor(\.spot.latitude)) == #""spot_latitude", larder_id"#)
  }

  @Test func peopleSeeTheirOrder() throws {
    let laboratory = try Laboratory(seed: 1)
    let plan = try SortPlan([SortDescriptor<Specimen>(\.name)], layout: laboratory.layout)
    let names = try laboratory.rows("ORDER BY \(plan.sql)").map { laboratory.specimens[$0].name }
    let (nine, ten) = (names.firstIndex(of: "9 km"), names.firstIndex(of: "10 km W of Cobb"))
    #expect(try #require(nine) < #require(ten))
  }

  @Test func whatHasNoOrderIsNamed() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try SortPlan([SortDescriptor<Specimen>(\.payload.count)], layout: Specimen._$layout)
    }
    #expect(error == .unsupportedSortDescriptor)
    #expect(error?.explanation?.contains("payload") == true)
  }
}
