import SwiftData

/// Models that use what this version does not have.
enum NotYet {
  @Model
  class Photo {
    #Index<Photo>(.rtree([\.longitude, \.latitude]))

    @Attribute(.externalStorage) var bytes = Data()
    @Attribute(.spotlight, .allowsCloudEncryption) var name = ""
    var longitude = 0.0
    var latitude = 0.0

    init() {}
  }

  /// Counts how often a default value is evaluated.
  @Model
  class Counted {
    nonisolated(unsafe) static var evaluations = 0

    static func next() -> Int {
      evaluations += 1
      return 0
    }

    @Attribute(.unique) var name: String
    var number: Int = Counted.next()

    init(name: String) { self.name = name }
  }

  /// Its `init(from:)` does no more than the compiler's own would, but for refusing what it does not like.
  struct Checked: Codable, Equatable {
    struct Refused: Error {}

    var percent: Int

    init(percent: Int) { self.percent = percent }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      percent = try container.decode(Int.self, forKey: .percent)
      if percent > 100 { throw Refused() }
    }
  }

  @Model
  class Share {
    var checked = Checked(percent: 0)

    init() {}
  }
}
