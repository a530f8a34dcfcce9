import Foundation
import LarderData
import SwiftData
import Testing

/// Members of a struct, each of which has a column.
@Suite struct StructMemberTests {
  enum Three {
    @Model final class Spot {
      var spot: Point3
      init(_ spot: Point3) { self.spot = spot }
    }
  }

  enum Two {
    @Model final class Spot {
      var spot: Point2
      init(_ spot: Point2) { self.spot = spot }
    }
  }

  enum One {
    struct Point1: Codable, Hashable { var x: Int }

    @Model final class Spot {
      var spot: Point1
      init(_ spot: Point1) { self.spot = spot }
    }
  }

  /// Also where one alone is left.
  @Test func aStructOfOneMemberLacksTheOthers() throws {
    let store = try TemporaryStore()
    try store.open(Two.Spot.self) { $0.insert(Two.Spot(Point2(x: 1, y: 2))) }
    let options = MigrationOptions(removedValues: .refuse)
    let error = store.failure(One.Spot.self, options: options) as? StoreError
    #expect(error?.explanation.contains("Spot.spot.y (1 row)") == true, "\(error?.explanation ?? "")")
    #expect(try store.open(One.Spot.self) { try $0.all(One.Spot.self).map(\.spot.x) } == [1])
  }

  /// An older program's struct may lack one.
  @Test func valuesOfThoseThatAModelLacksAreRefusedToGo() throws {
    let store = try TemporaryStore()
    try store.open(Three.Spot.self) { context in
      for z in [nil, 1, 2] { context.insert(Three.Spot(Point3(x: 1, y: 2, z: z))) }
    }
    let before = store.bytes
    let options = MigrationOptions(removedValues: .refuse)
    let error = store.failure(Two.Spot.self, options: options) as? StoreError
    #expect(error?.code == .valueLoss)
    #expect(error?.explanation.contains("Spot.spot.z (2 rows)") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
    try store.open(Three.Spot.self) { context in
      for place in try context.all(Three.Spot.self) { place.spot.z = nil }
    }
    let spots = try store.open(Two.Spot.self, options: options) { try $0.all(Two.Spot.self).map(\.spot) }
    #expect(spots == Array(repeating: Point2(x: 1, y: 2), count: 3))
  }

  // MARK: Types

  enum Dated {
    struct Stay: Codable, Hashable {
      var at: Date
      var nights: Int
    }

    @Model final class Booking {
      var stay: Stay
      var before: Stay?
      init(_ stay: Stay, before: Stay?) {
        self.stay = stay
        self.before = before
      }
    }
  }

  /// The same columns, of which one means something else.
  enum Numbered {
    struct Stay: Codable, Hashable {
      var at: Double
      var nights: Int
    }

    @Model final class Booking {
      var stay: Stay
      var before: Stay?
      init(_ stay: Stay, before: Stay?) {
        self.stay = stay
        self.before = before
      }
    }
  }

  enum Small {
    struct Stay: Codable, Hashable {
      var at: Date
      var nights: Int8
    }

    @Model final class Booking {
      var stay: Stay
      var before: Stay?
      init(_ stay: Stay, before: Stay?) {
        self.stay = stay
        self.before = before
      }
    }
  }

  private func bookings(_ nights: Int) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Dated.Booking.self) { context in
      let stay = Dated.Stay(at: Date(timeIntervalSinceReferenceDate: 5), nights: 2)
      context.insert(Dated.Booking(stay, before: Dated.Stay(at: stay.at, nights: nights)))
      context.insert(Dated.Booking(stay, before: nil))
    }
    return store
  }

  @Test func oneThatMeansSomethingElseIsRefused() throws {
    let store = try bookings(3)
    let before = store.bytes
    let error = store.failure(Numbered.Booking.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.explanation.contains("Booking.stay (at) was Date (REAL) and is Double (REAL)") == true,
      "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
  }

  @Test func oneThatIsNarrowerIsAskedForItsValues() throws {
    let store = try bookings(1_000)
    let error = store.failure(Small.Booking.self) as? StoreError
    #expect(
      error?.explanation.contains("there are values that this can't hold (in 1 row)") == true,
      "\(error?.explanation ?? "")")
    try store.open(Dated.Booking.self) { context in
      for booking in try context.all(Dated.Booking.self) { booking.before?.nights = 100 }
    }
    let nights = try store.open(Small.Booking.self) { context in
      try context.all(Small.Booking.self).map { $0.before?.nights ?? -1 }.sorted()
    }
    #expect(nights == [-1, 100])
  }

  /// A store that was made before the types of members were kept has none of them.
  @Test func storesWithoutTheTypesAreRead() throws {
    let store = try bookings(3)
    let typed = try store.strings("SELECT value FROM larder_store WHERE key = 'schema'")[0]
    #expect(typed.contains("memberType"))
    let untyped = typed.replacing(#/"memberType":"[^"]*",/#, with: "")
    #expect(!untyped.contains("memberType"))
    try store.execute("UPDATE larder_store SET value = '\(untyped)' WHERE key = 'schema'")
    try store.open(Dated.Booking.self) { (context: ModelContext) throws in
      #expect(try context.all(Dated.Booking.self).map(\.stay.nights) == [2, 2])
    }
    #expect(try store.strings("SELECT value FROM larder_store WHERE key = 'schema'") == [typed])
  }
}
