import Foundation
import SwiftData

/// What random predicates are about: a value of each kind, optional and not, and a relationship of each kind.
@Model
final class Grain {
  #Index<Grain>([\.number], [\.rank], [\.tame], [\.nickname])
  var serial: Int
  var number = 0
  var rank: Int?
  /// Small numbers, whose sums and products cannot overflow.
  var tame = 0
  var small: Int8 = 0
  var weight = 0.0
  var height: Double?
  var name = ""
  var nickname: String?
  var flag = false
  var maybe: Bool?
  var day = Date.distantPast
  var end: Date?
  var price: Decimal = 0
  var cost: Decimal?
  var code = Specimen.identifiers[0]
  var payload = Data()
  var grade = Grade.low
  var level: Level?
  var spot = Spot(name: "", latitude: 0, depth: nil)
  var place: Spot?
  var tags: [String] = []
  var notes: [String]?
  var marks: [Int] = []
  var scores: [String: Int] = [:]
  var mark = Mark.none
  var box: Box?

  var sack: Sack?
  var home: Sack
  var parent: Grain?
  @Relationship(inverse: \Grain.parent) var children: [Grain]?
  @Relationship(inverse: \Ticket.grains) var labels: [Ticket] = []
  @Relationship(inverse: \Ticket.leader) var lead: Ticket?
  var next: Grain?
  @Relationship(inverse: \Grain.next) var previous: Grain?

  init(_ serial: Int, home: Sack, _ values: inout HostileValues) {
    self.serial = serial
    self.home = home
    // To a predicate a list that was never set is an empty one.
    children = []
    take(&values)
  }
}

/// Has grains, and what leads nowhere back.
@Model
final class Sack {
  #Index<Sack>([\.number], [\.rank], [\.name], [\.flag])
  var serial: Int
  var number = 0
  var rank: Int?
  var tame = 0
  var weight = 0.0
  var height: Double?
  var name = ""
  var nickname: String?
  var flag = false
  var day = Date.distantPast
  var end: Date?
  var price: Decimal = 0
  var cost: Decimal?
  var spot = Spot(name: "", latitude: 0, depth: nil)
  var place: Spot?
  var tags: [String] = []
  var notes: [String]?
  var marks: [Int] = []
  var scores: [String: Int] = [:]

  @Relationship(deleteRule: .nullify, inverse: \Grain.sack) var grains: [Grain] = []
  @Relationship(deleteRule: .cascade, inverse: \Grain.home) var residents: [Grain] = []
  var cover: Ticket?
  var stock: [Ticket] = []

  init(_ serial: Int, _ values: inout HostileValues) {
    self.serial = serial
    take(&values)
  }
}

/// Has grains that have it too, others of its kind, and a grain of its own.
@Model
final class Ticket {
  #Index<Ticket>([\.tame], [\.height], [\.name], [\.nickname])
  var serial: Int
  var number = 0
  var rank: Int?
  var tame = 0
  var weight = 0.0
  var height: Double?
  var name = ""
  var nickname: String?
  var flag = false
  var day = Date.distantPast
  var end: Date?
  var price: Decimal = 0
  var cost: Decimal?
  var spot = Spot(name: "", latitude: 0, depth: nil)
  var place: Spot?
  var tags: [String] = []
  var notes: [String]?
  var marks: [Int] = []
  var scores: [String: Int] = [:]

  var grains: [Grain] = []
  var leader: Grain?
  @Relationship(inverse: Ticket.alikeOfAlike) var alike: [Ticket] = []

  // A property that names itself in an attribute of its own would be a circle for the compiler.
  static var alikeOfAlike: AnyKeyPath { \Ticket.alike }

  init(_ serial: Int, _ values: inout HostileValues) {
    self.serial = serial
    take(&values)
  }
}

/// What all three have.
protocol Kernel: PersistentModel {
  var serial: Int { get }
  var number: Int { get set }
  var rank: Int? { get set }
  var tame: Int { get set }
  var weight: Double { get set }
  var height: Double? { get set }
  var name: String { get set }
  var nickname: String? { get set }
  var flag: Bool { get set }
  var day: Date { get set }
  var end: Date? { get set }
  var price: Decimal { get set }
  var cost: Decimal? { get set }
  var spot: Spot { get set }
  var place: Spot? { get set }
  var tags: [String] { get set }
  var notes: [String]? { get set }
  var marks: [Int] { get set }
  var scores: [String: Int] { get set }

  /// Sets one of its attributes.
  func change(_ attribute: Int, _ values: inout HostileValues)
  static var attributes: Int { get }

  /// An object of this model as what a predicate asks of.
  static func subject(_ part: Part<Self>) -> Subject
  static func orders(_ maker: inout PredicateMaker) -> RandomOrder<Self>
}

extension Kernel {
  static var attributes: Int { 18 }

  func take(_ values: inout HostileValues) {
    for attribute in 0..<Self.attributes { change(attribute, &values) }
  }

  func change(_ attribute: Int, _ values: inout HostileValues) { changeCommon(attribute, &values) }

  func changeCommon(_ attribute: Int, _ values: inout HostileValues) {
    switch attribute {
    case 0: number = values.number()
    case 1: rank = values.maybe { $0.number() }
    case 2: tame = values.tame()
    case 3: weight = values.real()
    case 4: height = values.maybe { $0.real() }
    case 5: name = values.text()
    case 6: nickname = values.maybe { $0.text() }
    case 7: flag = values.flag()
    case 8: day = values.date()
    case 9: end = values.maybe { $0.date() }
    case 10: price = values.decimal()
    case 11: cost = values.maybe { $0.decimal() }
    case 12: spot = values.spot()
    case 13: place = values.maybe { $0.spot() }
    case 14: tags = values.list { $0.text() }
    case 15: notes = values.maybe { $0.list { $0.text() } }
    case 16: marks = values.list { $0.number() }
    default: scores = Dictionary(values.list { ($0.text(), $0.number()) }, uniquingKeysWith: { first, _ in first })
    }
  }
}

extension Grain: Kernel {
  static var attributes: Int { 26 }
  static func subject(_ part: Part<Grain>) -> Subject { .grain(part) }

  func change(_ attribute: Int, _ values: inout HostileValues) {
    switch attribute {
    case 18: small = values.pick([0, 1, -1, 3, .max, .min])
    case 19: maybe = values.maybe { $0.flag() }
    case 20: code = values.pick(Specimen.identifiers)
    case 21: payload = Data(values.pick([[], [1], [1, 2], [0, 255]]) as [UInt8])
    case 22: grade = values.pick(Grade.allCases)
    case 23: level = values.maybe { $0.pick([.first, .second]) }
    case 24: mark = values.mark()
    case 25: box = values.maybe { $0.box() }
    default: changeCommon(attribute, &values)
    }
  }
}

extension Sack: Kernel {
  static func subject(_ part: Part<Sack>) -> Subject { .sack(part) }
}

extension Ticket: Kernel {
  static func subject(_ part: Part<Ticket>) -> Subject { .label(part) }
}
