import Foundation
import SwiftData

struct Site: Codable, Hashable {
  var name: String
  var x: Double
  var y: Double
}

/// A flat model with a key, a composite and an optional.
@Model
final class Sensor {
  @Attribute(.unique) var code: String
  var label: String
  var level: Double
  var count: Int
  var spot: Site
  var note: String?

  init(_ code: String, label: String = "", level: Double = 0, count: Int = 0, spot: Site = Site(name: "", x: 0, y: 0)) {
    self.code = code
    self.label = label
    self.level = level
    self.count = count
    self.spot = spot
  }
}

/// A model without constraints.
@Model
final class Crate {
  var number: Int
  var text: String
  var note: String?

  init(number: Int, text: String = "", note: String? = nil) {
    self.number = number
    self.text = text
    self.note = note
  }
}

/// Two attributes that are unique each by itself.
@Model
final class Passport {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var holder: String
  var issued: String

  init(number: Int, holder: String, issued: String = "") {
    self.number = number
    self.holder = holder
    self.issued = issued
  }
}

/// Two attributes that are unique together, and an optional one that is unique by itself.
@Model
final class Seat {
  #Unique<Seat>([\.row, \.place])
  var row: Int
  var place: String
  @Attribute(.unique) var ticket: String?
  var guest: String

  init(row: Int, place: String, ticket: String? = nil, guest: String = "") {
    self.row = row
    self.place = place
    self.ticket = ticket
    self.guest = guest
  }
}

enum Quality: String, Codable, CaseIterable { case low, high }
enum Rank: Int, Codable {
  case first = 1
  case second = 2
}

/// Codable, and not flat: it has a coding of its own.
struct Measure: Codable, Equatable {
  var value: Double
  var unit: String

  init(value: Double, unit: String) {
    self.value = value
    self.unit = unit
  }

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    value = try list.decode(Double.self)
    unit = try list.decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(value)
    try list.encode(unit)
  }
}

/// Each type that the table of values names.
@Model
final class EveryValue {
  var double: Double = 0
  var float: Float = 0
  var int: Int = 0
  var int8: Int8 = 0
  var int64: Int64 = 0
  var uint8: UInt8 = 0
  var uint64: UInt64 = 0
  var bool: Bool = false
  var date: Date = Date(timeIntervalSinceReferenceDate: 0)
  var decimal: Decimal = 0
  var string: String = ""
  var uuid: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  var url: URL = URL(filePath: "/")
  var data: Data = Data()
  var grade: Quality = Quality.low
  var rank: Rank? = nil
  var measure: Measure = Measure(value: 0, unit: "")
  var numbers: [Int] = []
  var tags: Set<String> = []
  var ratios: [String: Double] = [:]
  var spot: Site = Site(name: "", x: 0, y: 0)
  var home: Site? = nil
  var optionalDouble: Double? = nil
  var optionalDate: Date? = nil
  var optionalDecimal: Decimal? = nil

  init() {}
}
