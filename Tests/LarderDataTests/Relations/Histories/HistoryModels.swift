import LarderData
import LarderModels

// Every kind of relationship once, between few models, so that one history of changes meets them together.

@Model
final class Squad {
  var number: Int
  var weight: Double = 0
  @Relationship(deleteRule: .cascade, inverse: \Player.squad) var players: [Player] = []
  @Relationship(deleteRule: .deny, inverse: \Player.host) var guests: [Player] = []
  @Relationship(deleteRule: .noAction, inverse: \Kit.squad) var kits: [Kit] = []

  init(number: Int) { self.number = number }
}

@Model
final class Player {
  var number: Int
  var weight: Double = 0
  var squad: Squad?
  var host: Squad?
  var clubs: [Club] = []
  @Relationship(deleteRule: .cascade, inverse: \Locker.player) var locker: Locker?
  @Relationship(inverse: Player.friendsOfFriends) var friends: [Player] = []
  @Relationship(inverse: \Player.rivalOf) var rivals: [Player] = []
  var rivalOf: [Player] = []
  @Relationship(inverse: \Player.pupil) var mentor: Player?
  var pupil: Player?
  @Relationship(inverse: Player.partnerOfPartner) var partner: Player?
  var idol: Coach?
  var coaches: [Coach] = []

  // A property that names itself in an attribute of its own would be a circle for the compiler.
  static var friendsOfFriends: AnyKeyPath { \Player.friends }
  static var partnerOfPartner: AnyKeyPath { \Player.partner }

  init(number: Int) { self.number = number }
}

@Model
final class Kit {
  var number: Int
  var weight: Double = 0
  var squad: Squad

  init(number: Int, squad: Squad) {
    self.number = number
    self.squad = squad
  }
}

@Model
final class Club {
  var number: Int
  var weight: Double = 0
  var players: [Player] = []

  init(number: Int) { self.number = number }
}

@Model
final class Locker {
  var number: Int
  var weight: Double = 0
  var player: Player?

  init(number: Int) { self.number = number }
}

@Model
final class Coach {
  var number: Int
  var weight: Double = 0
  @Relationship(deleteRule: .cascade) var apprentice: Coach?

  init(number: Int) { self.number = number }
}

@Model
final class Branch {
  var number: Int
  var weight: Double = 0
  var parent: Branch?
  @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var twigs: [Branch]? = []

  init(number: Int) { self.number = number }
}

/// The models of a history, their relationships by name.
protocol Piece: PersistentModel {
  var number: Int { get set }
  var weight: Double { get set }
  func one(_ link: HistoryLink) -> (any Piece)?
  func many(_ link: HistoryLink) -> [any Piece]
  func set(_ link: HistoryLink, one: (any Piece)?)
  func set(_ link: HistoryLink, many: [any Piece])
}

extension Squad: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { nil }
  func set(_ link: HistoryLink, one: (any Piece)?) {}
  func many(_ link: HistoryLink) -> [any Piece] {
    switch link {
    case .squadPlayers: players
    case .squadGuests: guests
    default: kits
    }
  }
  func set(_ link: HistoryLink, many: [any Piece]) {
    switch link {
    case .squadPlayers: players = many.compactMap { $0 as? Player }
    case .squadGuests: guests = many.compactMap { $0 as? Player }
    default: kits = many.compactMap { $0 as? Kit }
    }
  }
}

extension Player: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? {
    switch link {
    case .playerSquad: squad
    case .playerHost: host
    case .playerLocker: locker
    case .playerMentor: mentor
    case .playerPupil: pupil
    case .playerPartner: partner
    default: idol
    }
  }
  func set(_ link: HistoryLink, one: (any Piece)?) {
    switch link {
    case .playerSquad: squad = one as? Squad
    case .playerHost: host = one as? Squad
    case .playerLocker: locker = one as? Locker
    case .playerMentor: mentor = one as? Player
    case .playerPupil: pupil = one as? Player
    case .playerPartner: partner = one as? Player
    default: idol = one as? Coach
    }
  }
  func many(_ link: HistoryLink) -> [any Piece] {
    switch link {
    case .playerClubs: clubs
    case .playerFriends: friends
    case .playerRivals: rivals
    case .playerRivalOf: rivalOf
    default: coaches
    }
  }
  func set(_ link: HistoryLink, many: [any Piece]) {
    switch link {
    case .playerClubs: clubs = many.compactMap { $0 as? Club }
    case .playerFriends: friends = many.compactMap { $0 as? Player }
    case .playerRivals: rivals = many.compactMap { $0 as? Player }
    case .playerRivalOf: rivalOf = many.compactMap { $0 as? Player }
    default: coaches = many.compactMap { $0 as? Coach }
    }
  }
}

extension Kit: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { squad }
  func set(_ link: HistoryLink, one: (any Piece)?) { if let one = one as? Squad { squad = one } }
  func many(_ link: HistoryLink) -> [any Piece] { [] }
  func set(_ link: HistoryLink, many: [any Piece]) {}
}

extension Club: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { nil }
  func set(_ link: HistoryLink, one: (any Piece)?) {}
  func many(_ link: HistoryLink) -> [any Piece] { players }
  func set(_ link: HistoryLink, many: [any Piece]) { players = many.compactMap { $0 as? Player } }
}

extension Locker: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { player }
  func set(_ link: HistoryLink, one: (any Piece)?) { player = one as? Player }
  func many(_ link: HistoryLink) -> [any Piece] { [] }
  func set(_ link: HistoryLink, many: [any Piece]) {}
}

extension Coach: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { apprentice }
  func set(_ link: HistoryLink, one: (any Piece)?) { apprentice = one as? Coach }
  func many(_ link: HistoryLink) -> [any Piece] { [] }
  func set(_ link: HistoryLink, many: [any Piece]) {}
}

extension Branch: Piece {
  func one(_ link: HistoryLink) -> (any Piece)? { parent }
  func set(_ link: HistoryLink, one: (any Piece)?) { parent = one as? Branch }
  func many(_ link: HistoryLink) -> [any Piece] { twigs ?? [] }
  func set(_ link: HistoryLink, many: [any Piece]) {
    twigs = many.isEmpty ? nil : many.compactMap { $0 as? Branch }
  }
}
