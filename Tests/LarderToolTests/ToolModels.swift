import DurabilityWork
import Foundation
import LarderData
import SwiftData

@Model
final class Vessel {
  #Index<Vessel>([\.built])
  @Attribute(.unique) var name: String
  var built: Int64
  var length: Double
  var notes: String?
  var image: Data
  @Attribute(.externalStorage) var chart: Data?
  var tags: [String]
  @Relationship(deleteRule: .cascade, inverse: \Cargo.vessel) var cargo: [Cargo] = []
  var crew: [Sailor] = []

  init(_ name: String, built: Int64 = 0, length: Double = 0, notes: String? = nil, image: Data = Data()) {
    self.name = name
    self.built = built
    self.length = length
    self.notes = notes
    self.image = image
    tags = []
  }
}

@Model
class Cargo {
  var label: String
  var vessel: Vessel?
  init(_ label: String, _ vessel: Vessel?) {
    self.label = label
    self.vessel = vessel
  }
}

@Model
final class Crane: Cargo {
  var tonnes: Decimal
  init(_ label: String, tonnes: Decimal, _ vessel: Vessel?) {
    self.tonnes = tonnes
    super.init(label, vessel)
  }
}

@Model
final class Sailor {
  @Attribute(.preserveValueOnDeletion) var name: String
  @Relationship(inverse: \Vessel.crew) var vessels: [Vessel] = []
  init(_ name: String) { self.name = name }
}

enum Fleet {
  static let models: [any PersistentModel.Type] = [Vessel.self, Cargo.self, Crane.self, Sailor.self]

  static func open(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ModelConfiguration(url: url))
  }

  /// Values of all kinds, at their edges.
  static func fill(_ url: URL) throws {
    let context = ModelContext(try open(url))
    context.author = "harbour \"master\""
    let texts = [
      "", "plain", "quotes \" and \\ and / and \u{1}\n\t", "Åland 🛳️ 家", "null\u{0}inside", "\u{2028}\u{FEFF}",
    ]
    let reals = [0, -0.0, 0.1, 1e300, 5e-308, .infinity, -.infinity, 1, 123_456_789.123_456_78]
    let numbers: [Int64] = [.min, .max, 0, 1, -1, 1 << 53 + 1]
    var random = Share.generator
    let sailors = (0..<5).map { Sailor("sailor \($0)") }
    for sailor in sailors { context.insert(sailor) }
    for (place, text) in texts.enumerated() {
      let vessel = Vessel(
        "v\(place)", built: numbers[place], length: reals[place], notes: place.isMultiple(of: 2) ? text : nil,
        image: Data((0..<UInt8(place * 40)).map { $0 &* 7 }))
      context.insert(vessel)
      vessel.chart = place == 3 ? Data(repeating: 0xAB, count: 100_000) : nil
      vessel.tags = [text, "t"]
      vessel.crew = Array(sailors.shuffled(using: &random).prefix(place % 4))
      vessel.cargo = [Cargo("c\(place)", vessel), Crane("k\(place)", tonnes: Decimal(place) / 3, vessel)]
    }
    for (place, real) in reals.enumerated() { context.insert(Vessel("r\(place)", length: real)) }
    try context.save()
    for sailor in sailors.prefix(2) { context.delete(sailor) }
    try context.fetch(FetchDescriptor<Vessel>()).first?.notes = "edited"
    try context.save()
  }
}
