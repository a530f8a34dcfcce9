import ExampleSupport
import Foundation

/// The trips that come with the program.
enum BundledTrips {
  static func read() throws -> [TripDTO] {
    try JSONDecoder().decode([TripDTO].self, from: Assets.data("trips.json", in: ["Data"], of: .module))
  }
}
