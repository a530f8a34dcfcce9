import Foundation
import LarderData
import SwiftData
import Testing

/// Members of a struct that a program's models lack, as an older program's may.
@Suite struct LostMemberTests {
  enum Three {
    @Model final class Place {
      var spot: Point3
      init(_ spot: Point3) { self.spot = spot }
    }
  }

  enum Two {
    @Model final class Place {
      var spot: Point2
      init(_ spot: Point2) { self.spot = spot }
    }
  }

  @Test func theirValuesAreRefusedToGo() throws {
    let store = try TemporaryStore()
    try store.open(Three.Place.self) { context in
      for z in [nil, 1, 2] { context.insert(Three.Place(Point3(x: 1, y: 2, z: z))) }
    }
    let before = store.bytes
    let options = MigrationOptions(removedValues: .refuse)
    let error = store.failure(Two.Place.self, options: options) as? StoreError
    #expect(error?.code == .wouldLoseValues)
    #expect(error?.explanation.contains("Place.spot.z (2 rows)") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
    try store.open(Three.Place.self) { context in
      for place in try context.all(Three.Place.self) { place.spot.z = nil }
    }
    let spots = try store.open(Two.Place.self, options: options) { try $0.all(Two.Place.self).map(\.spot) }
    #expect(spots == Array(repeating: Point2(x: 1, y: 2), count: 3))
  }
}
