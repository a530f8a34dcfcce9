import LarderData

enum HistoryKind: Int, CaseIterable {
  case squad, player, kit, club, locker, coach, branch

  var type: any Piece.Type {
    switch self {
    case .squad: Squad.self
    case .player: Player.self
    case .kit: Kit.self
    case .club: Club.self
    case .locker: Locker.self
    case .coach: Coach.self
    case .branch: Branch.self
    }
  }

  var links: [HistoryLink] { HistoryLink.allCases.filter { $0.owner == self } }
}

/// The relationships, each model's in the order of its source.
enum HistoryLink: Int, CaseIterable {
  case squadPlayers, squadGuests, squadKits
  case playerSquad, playerHost, playerClubs, playerLocker, playerFriends, playerRivals, playerRivalOf, playerMentor
  case playerPupil, playerPartner, playerIdol, playerCoaches
  case kitSquad, clubPlayers, lockerPlayer, coachApprentice, branchParent, branchTwigs

  enum Rule { case nullify, cascade, deny }

  var owner: HistoryKind {
    switch self {
    case .squadPlayers, .squadGuests, .squadKits: .squad
    case .kitSquad: .kit
    case .clubPlayers: .club
    case .lockerPlayer: .locker
    case .coachApprentice: .coach
    case .branchParent, .branchTwigs: .branch
    default: .player
    }
  }

  var target: HistoryKind {
    switch self {
    case .playerSquad, .playerHost, .kitSquad: .squad
    case .squadKits: .kit
    case .playerClubs: .club
    case .playerLocker: .locker
    case .playerIdol, .playerCoaches, .coachApprentice: .coach
    case .branchParent, .branchTwigs: .branch
    default: .player
    }
  }

  var isMany: Bool {
    switch self {
    case .squadPlayers, .squadGuests, .squadKits, .playerClubs, .playerFriends, .playerRivals, .playerRivalOf,
      .playerCoaches, .clubPlayers, .branchTwigs:
      true
    default: false
    }
  }

  var inverse: HistoryLink? {
    switch self {
    case .squadPlayers: .playerSquad
    case .playerSquad: .squadPlayers
    case .squadGuests: .playerHost
    case .playerHost: .squadGuests
    case .squadKits: .kitSquad
    case .kitSquad: .squadKits
    case .playerClubs: .clubPlayers
    case .clubPlayers: .playerClubs
    case .playerLocker: .lockerPlayer
    case .lockerPlayer: .playerLocker
    case .playerFriends: .playerFriends
    case .playerRivals: .playerRivalOf
    case .playerRivalOf: .playerRivals
    case .playerMentor: .playerPupil
    case .playerPupil: .playerMentor
    case .playerPartner: .playerPartner
    case .branchParent: .branchTwigs
    case .branchTwigs: .branchParent
    case .playerIdol, .playerCoaches, .coachApprentice: nil
    }
  }

  /// `noAction` is `nullify`.
  var rule: Rule {
    switch self {
    case .squadPlayers, .playerLocker, .coachApprentice, .branchTwigs: .cascade
    case .squadGuests: .deny
    default: .nullify
    }
  }

  var isOptional: Bool { self != .kitSquad }
}
