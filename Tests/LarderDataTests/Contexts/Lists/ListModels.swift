import SwiftData

// Every kind of to-many between two models: one to many, many to many, one way, to itself both ways.

@Model
final class Board {
  var number: Int
  @Relationship(inverse: \Card.board) var cards: [Card] = []
  @Relationship(inverse: \Card.pins) var pinned: [Card] = []
  var noted: [Card] = []
  var parent: Board?
  @Relationship(inverse: \Board.parent) var parts: [Board] = []
  @Relationship(inverse: Board.likesOfLikes) var likes: [Board] = []

  // A property that names itself in an attribute of its own would be a circle for the compiler.
  static var likesOfLikes: AnyKeyPath { \Board.likes }

  init(number: Int) { self.number = number }
}

@Model
final class Card {
  var number: Int
  var board: Board?
  var pins: [Board] = []

  init(number: Int) { self.number = number }
}

/// The to-manys of a history.
enum ListLink: CaseIterable, Hashable {
  case cards, parts, pinned, pins, noted, likes

  var isOfCards: Bool { self == .pins }
  var leadsToCards: Bool { self == .cards || self == .pinned || self == .noted }
  /// Whether a member is in one such list only.
  var isOneToMany: Bool { self == .cards || self == .parts }
  /// The list at the other end.
  var other: ListLink? {
    switch self {
    case .pinned: .pins
    case .pins: .pinned
    case .likes: .likes
    case .cards, .parts, .noted: nil
    }
  }
}

/// The models of such a history, their to-manys by name.
protocol Listed: PersistentModel {
  var number: Int { get set }
  func list(_ link: ListLink) -> [any Listed]
  func set(_ link: ListLink, _ members: [any Listed])
  func owner(_ link: ListLink) -> (any Listed)?
  func lead(_ link: ListLink, to owner: (any Listed)?)
}

extension Board: Listed {
  func list(_ link: ListLink) -> [any Listed] {
    switch link {
    case .cards: cards
    case .parts: parts
    case .pinned: pinned
    case .noted: noted
    default: likes
    }
  }

  func set(_ link: ListLink, _ members: [any Listed]) {
    switch link {
    case .cards: cards = members.compactMap { $0 as? Card }
    case .parts: parts = members.compactMap { $0 as? Board }
    case .pinned: pinned = members.compactMap { $0 as? Card }
    case .noted: noted = members.compactMap { $0 as? Card }
    default: likes = members.compactMap { $0 as? Board }
    }
  }

  func owner(_ link: ListLink) -> (any Listed)? { parent }
  func lead(_ link: ListLink, to owner: (any Listed)?) { parent = owner as? Board }
}

extension Card: Listed {
  func list(_ link: ListLink) -> [any Listed] { pins }
  func set(_ link: ListLink, _ members: [any Listed]) { pins = members.compactMap { $0 as? Board } }
  func owner(_ link: ListLink) -> (any Listed)? { board }
  func lead(_ link: ListLink, to owner: (any Listed)?) { board = owner as? Board }
}
