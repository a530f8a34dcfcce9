import Foundation
import SwiftData

/// A model with an own key and an owner that has one, too.
@Model
final class Bale {
  #Unique<Bale>([\.depot, \.shelf])

  @Attribute(.unique) var code: String
  var weight: Double = 1
  var price: Decimal?
  var grade: Quality = Quality.low
  var spot: Site = Site(name: "", x: 0, y: 0)
  var sent: Date?
  var note: String?
  var depot: String?
  var shelf: Int?
  @Transient var isMarked = false
  var lorry: Lorry?
  var labels: [Sticker] = []

  init(_ code: String) { self.code = code }
}

@Model
final class Lorry {
  @Attribute(.unique) var plate: String
  var driver: String
  @Relationship(deleteRule: .cascade, inverse: \Bale.lorry) var goods: [Bale] = []

  init(_ plate: String, driver: String = "") {
    self.plate = plate
    self.driver = driver
  }
}

@Model
final class Sticker {
  @Attribute(.unique) var text: String
  @Relationship(inverse: \Bale.labels) var goods: [Bale] = []

  init(_ text: String) { self.text = text }
}

/// What a server says of a parcel.
struct BaleRecord: Sendable {
  var code: String?
  var weight: Double = 1
  var price: Decimal?
  var note: String?
  var lorry: String?
  var depot: String?
  var shelf: Int?
  var isBroken = false

  static func numbered(_ numbers: some Sequence<Int>, _ change: (inout BaleRecord) -> Void = { _ in }) -> [BaleRecord] {
    numbers.map { number in
      var record = BaleRecord(code: "P\(number)", weight: Double(number))
      change(&record)
      return record
    }
  }
}

struct BrokenRecord: Error {}

extension UpsertMapping<Bale, BaleRecord> {
  mutating func everything() {
    set(\.code) { record in
      if record.isBroken { throw BrokenRecord() }
      return record.code ?? ""
    }
    set(\.weight) { $0.weight }
    set(\.price) { $0.price }
    set(\.note) { $0.note }
    relate(\.lorry, by: \.plate) { $0.lorry }
  }
}

/// A hierarchy with a key at its top.
@Model
class Haulage {
  @Attribute(.unique) var number: Int
  var name = ""

  init(_ number: Int) { self.number = number }
}

@Model
class ColdHaulage: Haulage {
  var degrees: Double

  init(_ number: Int, degrees: Double) {
    self.degrees = degrees
    super.init(number)
  }
}
