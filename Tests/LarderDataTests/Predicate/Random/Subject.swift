import Foundation
import SwiftData

/// An object that a predicate asks of: what one of its variables stands for, or what a relationship leads to.
enum Subject {
  case grain(Part<Grain>)
  case sack(Part<Sack>)
  case label(Part<Ticket>)

  func property<V>(_ field: Field<V>) -> Part<V> {
    switch self {
    case .grain(let part): Build.keyPath(part, field.grain)
    case .sack(let part): Build.keyPath(part, field.sack)
    case .label(let part): Build.keyPath(part, field.label)
    }
  }

  var identifier: Part<PersistentIdentifier> {
    switch self {
    case .grain(let part): Build.keyPath(part, \Grain.persistentModelID)
    case .sack(let part): Build.keyPath(part, \Sack.persistentModelID)
    case .label(let part): Build.keyPath(part, \Ticket.persistentModelID)
    }
  }
}

/// What a to-one leads to.
enum OptionalSubject {
  case grain(Part<Grain?>)
  case sack(Part<Sack?>)
  case label(Part<Ticket?>)
}

/// What a to-many leads to.
enum SubjectList {
  case grains(Part<[Grain]>)
  case labels(Part<[Ticket]>)
}

/// A property that all models have.
struct Field<Value> {
  typealias Path<Root> = any KeyPath<Root, Value> & Sendable

  let grain: Path<Grain>
  let sack: Path<Sack>
  let label: Path<Ticket>

  init(_ grain: Path<Grain>, _ sack: Path<Sack>, _ label: Path<Ticket>) {
    (self.grain, self.sack, self.label) = (grain, sack, label)
  }
}

extension Field<String> {
  static var name: Field { Field(\.name, \.name, \.name) }
}
extension Field<String?> {
  static var nickname: Field { Field(\.nickname, \.nickname, \.nickname) }
}
extension Field<Int> {
  static var number: Field { Field(\.number, \.number, \.number) }
  static var tame: Field { Field(\.tame, \.tame, \.tame) }
}
extension Field<Int?> {
  static var rank: Field { Field(\.rank, \.rank, \.rank) }
}
extension Field<Double> {
  static var weight: Field { Field(\.weight, \.weight, \.weight) }
}
extension Field<Double?> {
  static var height: Field { Field(\.height, \.height, \.height) }
}
extension Field<Bool> {
  static var flag: Field { Field(\.flag, \.flag, \.flag) }
}
extension Field<Date> {
  static var day: Field { Field(\.day, \.day, \.day) }
}
extension Field<Date?> {
  static var end: Field { Field(\.end, \.end, \.end) }
}
extension Field<Decimal> {
  static var price: Field { Field(\.price, \.price, \.price) }
}
extension Field<Decimal?> {
  static var cost: Field { Field(\.cost, \.cost, \.cost) }
}
extension Field<Spot> {
  static var spot: Field { Field(\.spot, \.spot, \.spot) }
}
extension Field<Spot?> {
  static var place: Field { Field(\.place, \.place, \.place) }
}
extension Field<[String]> {
  static var tags: Field { Field(\.tags, \.tags, \.tags) }
}
extension Field<[String]?> {
  static var notes: Field { Field(\.notes, \.notes, \.notes) }
}
extension Field<[Int]> {
  static var marks: Field { Field(\.marks, \.marks, \.marks) }
}
extension Field<[String: Int]> {
  static var scores: Field { Field(\.scores, \.scores, \.scores) }
}
