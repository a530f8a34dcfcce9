import SwiftData

/// The models of Documentation/store-format.md.
enum StoreFormatCode {
  // snippet: store format
  struct Location: Codable {
    var name: String
    var longitude: Double
    var latitude: Double
  }

  struct Shaking: Codable {
    var intensity: Int
    var felt: Int?
  }

  enum Status: String, Codable {
    case automatic, reviewed
  }

  @Model
  class Quake {
    #Index<Quake>([\.time], [\.location.name, \.magnitude])

    @Attribute(.unique) var code: String
    var magnitude: Double
    var time: Date
    var location: Location
    var shaking: Shaking?
    var status: Status
    var sources: [String]
    var depth: Decimal?

    init(code: String, magnitude: Double, time: Date, location: Location) {
      self.code = code
      self.magnitude = magnitude
      self.time = time
      self.location = location
      self.status = .automatic
      self.sources = []
    }
  }
  // snippet end

  // snippet: models that inherit
  @Model
  class Plant {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model
  class Tree: Plant {
    var height: Double

    init(name: String, height: Double) {
      self.height = height
      super.init(name: name)
    }
  }

  @Model
  class Oak: Tree {
    var acorns: Int?

    override init(name: String, height: Double) { super.init(name: name, height: height) }
  }
  // snippet end

  /// One column for each row of the document's table of types.
  @Model
  class EveryType {
    enum Number: Int, Codable { case one = 1 }
    struct Coded: Codable {
      var whole: [Int]
    }

    var bool: Bool
    var int: Int
    var uint64: UInt64
    var double: Double
    var float: Float
    var date: Date
    var string: String
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var data: Data
    var word: Status
    var number: Number
    var flat: Location
    var coded: Coded
    var list: [Int]
    @Attribute(.codable) var kept: Location
    var optional: Int?

    init(url: URL) {
      bool = true
      int = -7
      uint64 = 7
      double = 0.5
      float = 1.5
      date = Date(timeIntervalSinceReferenceDate: 802_000_000.25)
      string = "Honshū"
      uuid = UUID(uuid: (10, 27, 44, 61, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 255, 255))
      self.url = url
      decimal = Decimal(sign: .minus, exponent: -2, significand: 1250)
      data = Data([0xCA, 0xFE])
      word = .reviewed
      number = .one
      flat = Location(name: "here", longitude: 1, latitude: -2)
      coded = Coded(whole: [1, 2])
      list = [3, 1, 2]
      kept = Location(name: "there", longitude: 1, latitude: -2)
    }
  }

  static func fill(_ url: URL) throws {
    let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let first = Quake(
      code: "ak0001", magnitude: 5.4, time: Date(timeIntervalSinceReferenceDate: 802_000_000.25),
      location: Location(name: "Central Alaska", longitude: -150.5, latitude: 61.25))
    first.sources = ["ak", "us"]
    let second = Quake(
      code: "us0002", magnitude: 7.1, time: Date(timeIntervalSinceReferenceDate: 802_000_060),
      location: Location(name: "Honshū, Japan", longitude: 142.5, latitude: 38))
    second.status = .reviewed
    second.shaking = Shaking(intensity: 6, felt: nil)
    second.depth = Decimal(string: "29.50")
    context.insert(first)
    context.insert(second)
    try context.save()
    first.magnitude = 5.6
    try context.save()
  }
}
