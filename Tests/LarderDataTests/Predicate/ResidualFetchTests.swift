import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Model
final class Parcel {
  var number: Int
  var tags: [String]
  var price: Decimal

  init(_ number: Int, tags: [String] = [], price: Decimal = 0) {
    self.number = number
    self.tags = tags
    self.price = price
  }
}

/// Fetches of which SQL answers a part, and Swift the rest of the rows that it leaves.
@Suite struct ResidualFetchTests {
  private func filled(_ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Parcel.self)
    let context = store.context()
    for number in 0..<40 {
      context.insert(Parcel(number, tags: number.isMultiple(of: 3) ? ["three", "\(number)"] : []))
    }
    try context.save()
    return (store, context)
  }

  private var threes: Predicate<Parcel> { #Predicate { $0.number >= 10 && $0.tags.contains("three") } }

  @Test(arguments: StoreLocation.allCases)
  func eachWayOfFetching(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { _ = store.place }
    let expected = [12, 15, 18, 21, 24, 27, 30, 33, 36, 39]
    var descriptor = FetchDescriptor<Parcel>(predicate: threes, sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(descriptor).map(\.number) == expected)
    #expect(try context.fetchCount(descriptor) == expected.count)
    #expect(try context.fetchIdentifiers(descriptor) == context.fetch(descriptor).map(\.persistentModelID))
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 3
    #expect(try context.fetch(descriptor).map(\.number) == [18, 21, 24])
    #expect(try context.fetchCount(descriptor) == 3)
    descriptor.sortBy = [SortDescriptor(\.number, order: .reverse)]
    #expect(try context.fetch(descriptor).map(\.number) == [33, 30, 27])
    descriptor.fetchLimit = 0
    #expect(try context.fetchCount(descriptor) == 0)
    descriptor.fetchLimit = nil
    descriptor.fetchOffset = 100
    #expect(try context.fetch(descriptor).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func pendingChangesAreAsked(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { _ = store.place }
    let all = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
    all[12].tags = []
    all[13].tags = ["three"]
    context.delete(all[39])
    context.insert(Parcel(100, tags: ["three"]))
    context.insert(Parcel(101))
    var descriptor = FetchDescriptor<Parcel>(predicate: threes, sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(descriptor).map(\.number) == [13, 15, 18, 21, 24, 27, 30, 33, 36, 100])
    #expect(try context.fetchCount(descriptor) == 10)
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 8
    #expect(try context.fetch(descriptor).map(\.number) == [36, 100])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.number) == [36, 39])
  }

  @Test(arguments: StoreLocation.allCases)
  func deletesWhatMatches(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    try context.delete(model: Parcel.self, where: threes)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Parcel") == .integer(30))
    #expect(try context.fetchCount(FetchDescriptor(predicate: threes)) == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func failuresAreTypedInBothHalves(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { _ = store.place }
    let big = Decimal(string: "99999999999999999999999999999999999999") ?? 0
    let failing: [Predicate<Parcel>] = [
      #Predicate { $0.tags[0] == "three" }, #Predicate { $0.tags[0..<2].isEmpty },
      #Predicate { ($0.number as Any as! String) == "" }, #Predicate { $0.tags.max()! == "" },
      #Predicate { $0.price + big * big > big },
    ]
    for (number, predicate) in failing.enumerated() {
      let error = #expect(throws: FetchError.self, "\(number)") {
        try context.fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error?.code == .arithmetic, "\(number)")
    }
    try context.delete(model: Parcel.self)
    try context.save()
    context.insert(Parcel(1))
    for (number, predicate) in failing.enumerated() {
      #expect(throws: FetchError.self, "\(number)") { try context.fetch(FetchDescriptor(predicate: predicate)) }
    }
  }

  @Test func rowsThatCannotBeReadAreNamed() throws {
    let (store, context) = try filled(.disk)
    try store.execute("UPDATE Parcel SET tags = '{' WHERE number = 20")
    let error = #expect(throws: FetchError.self) { try context.fetch(FetchDescriptor(predicate: threes)) }
    #expect(error?.code == .unreadableValue)
    #expect(error?.explanation.contains("Parcel.tags") == true)
  }

  /// The part in Swift costs one more statement, and not one for each row.
  @Test(arguments: StoreLocation.allCases)
  func statementsDoNotGrowWithRows(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { _ = store.place }
    let descriptor = FetchDescriptor<Parcel>(predicate: threes)
    _ = try context.fetch(descriptor)
    let done = try context.reading {
      for _ in 0..<20 {
        let found = try context.fetch(descriptor)
        #expect(found.count == 10)
      }
    }
    #expect(done.statementsPrepared == 0)
  }

  @Test func plansSayWhetherTheyAreWholeSQL() throws {
    func plan(_ predicate: Predicate<Parcel>) throws -> PredicatePlan {
      try PlanCache().plan(for: predicate.expression, Parcel._$layout)
    }
    #expect(try plan(#Predicate { $0.number > 1 }).isWholeSQL)
    let part = try plan(threes)
    #expect(!part.isWholeSQL)
    #expect(part.whereSQL == #"("number" >= ?1)"#)
    #expect(try plan(#Predicate { $0.number > 1 || $0.tags.isEmpty }).whereSQL == "1")
    // What may fail is not asked before what guards it.
    let guarded = try plan(#Predicate { $0.number > 0 && $0.tags.count == 2 && 6 / $0.number > 1 && $0.price > 1 })
    #expect(guarded.whereSQL == #"(("number" > ?1) AND ("price" COLLATE larder_decimal > ?2))"#)
  }
}
