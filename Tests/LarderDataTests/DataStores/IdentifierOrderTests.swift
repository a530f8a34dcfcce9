import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Orders by identifier where a store names its rows by texts.
@Suite struct IdentifierOrderTests {
  @Test(arguments: [Cabinet.Keys.names, .smallNumbers])
  func rowsStandInTheOrderOfTheirNames(_ keys: Cabinet.Keys) throws {
    let cabinet = Cabinet()
    cabinet.keys = keys
    let context = ModelContext(try cabinet.container(Crate.self))
    for number in 0..<12 { context.insert(Crate(number: number % 2)) }
    try context.save()
    for isPending in [false, true] {
      if isPending {
        let all = try context.fetch(FetchDescriptor<Crate>())
        all[3].number = 1 - all[3].number
        context.delete(all[5])
      }
      for order in [SortOrder.forward, .reverse] {
        let all = try context.fetch(FetchDescriptor<Crate>()).map(\.persistentModelID).sorted()
        let expected = order == .forward ? all : all.reversed()
        let descriptor = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.persistentModelID, order: order)])
        #expect(try context.fetch(descriptor).map(\.persistentModelID) == expected)
        #expect(try context.fetchIdentifiers(descriptor) == expected)
        let byNumber = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number), SortDescriptor(\.id, order: order)])
        let crates = try context.fetch(byNumber)
        #expect(crates.map(\.number) == crates.map(\.number).sorted())
        for number in 0...1 {
          let some = crates.filter { $0.number == number }.map(\.persistentModelID)
          #expect(some == (order == .forward ? some.sorted() : some.sorted().reversed()))
        }
      }
    }
  }
}
