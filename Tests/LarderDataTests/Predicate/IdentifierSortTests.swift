import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Orders by `persistentModelID`, alone or as the last of several.
@Suite struct IdentifierSortTests {
  private static var orders: [(name: String, order: [SortDescriptor<Crate>], isReverse: Bool)] {
    [
      ("identifier", [SortDescriptor(\.persistentModelID)], false),
      ("identifier reverse", [SortDescriptor(\.persistentModelID, order: .reverse)], true),
      ("id", [SortDescriptor(\.id)], false), ("id reverse", [SortDescriptor(\.id, order: .reverse)], true),
      ("number, identifier", [SortDescriptor(\.number), SortDescriptor(\.persistentModelID)], false),
      ("number, identifier reverse", [SortDescriptor(\.number), SortDescriptor(\.id, order: .reverse)], true),
      ("identifier, number", [SortDescriptor(\.id, order: .reverse), SortDescriptor(\.number)], true),
    ]
  }

  @Test(arguments: StoreLocation.allCases)
  func rowsAndPendingObjectsStandInOneOrder(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<12 { context.insert(Crate(number: number % 3)) }
    for isPending in [false, true] {
      try context.save()
      if isPending {
        let all = try context.fetch(FetchDescriptor<Crate>())
        context.delete(all[4])
        all[7].number = 0
        for number in 0..<4 { context.insert(Crate(number: number % 2)) }
      }
      for (name, order, isReverse) in Self.orders {
        let all = try context.fetch(FetchDescriptor<Crate>())
        let byNumber = name.hasPrefix("number")
        let expected = all.sorted { left, right in
          if byNumber, left.number != right.number { return left.number < right.number }
          let isBefore = left.persistentModelID < right.persistentModelID
          return isReverse ? !isBefore && left !== right : isBefore
        }.map(\.persistentModelID)
        var descriptor = FetchDescriptor<Crate>(sortBy: order)
        #expect(try context.fetch(descriptor).map(\.persistentModelID) == expected, "\(name)")
        #expect(try context.fetchIdentifiers(descriptor) == expected, "\(name)")
        descriptor.fetchLimit = 3
        descriptor.fetchOffset = 2
        #expect(
          try context.fetch(descriptor).map(\.persistentModelID) == Array(expected.dropFirst(2).prefix(3)), "\(name)")
      }
    }
  }

  /// SQLite takes only so many terms; those that are asked for again decide nothing.
  @Test(arguments: StoreLocation.allCases)
  func anyNumberOfDescriptorsIsTaken(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = try store.saved((0..<5).map { Crate(number: 5 - $0) })
    let many = (0..<3_000).map { number in
      SortDescriptor(\Crate.number, order: number.isMultiple(of: 2) ? .forward : .reverse)
    }
    #expect(try context.fetch(FetchDescriptor(sortBy: many)).map(\.number) == [1, 2, 3, 4, 5])
  }
}
