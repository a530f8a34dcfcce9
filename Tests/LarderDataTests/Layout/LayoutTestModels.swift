import Foundation
import SwiftData

/// For codecs that are tried without a model of their own.
@Model
final class LayoutModel {
  var tags: [String]

  init(tags: [String]) { self.tags = tags }
}

let testLayout = LayoutModel._$layout

struct LayoutPlace: Codable, Equatable {
  struct Spot: Codable, Equatable {
    var x: Double
    var y: Double
  }
  var name: String
  var spot: Spot
}

enum LayoutKind: String, Codable { case quake, blast }
typealias LayoutName = String

/// Scalars and others by turns.
@Model
final class LayoutQuake {
  #Unique<LayoutQuake>([\.code], [\.place.name, \.kind], [\.place])
  #Index<LayoutQuake>([\.time], [\.place.spot.x, \.magnitude], [\.alias])

  var place: LayoutPlace
  @Attribute(.unique) var code: String
  var kind: LayoutKind?
  var magnitude: Double
  var alias: LayoutName
  var former: LayoutPlace?
  var time: Date?
  @Attribute(.codable) var whole: LayoutPlace
  var tags: [String]
  @Transient var seen = false

  init(place: LayoutPlace, code: String, magnitude: Double) {
    self.place = place
    self.code = code
    self.magnitude = magnitude
    alias = code
    whole = place
    tags = []
  }
}

@Model
final class LayoutFriend {
  var name: String
  var best: LayoutFriend?
  init(name: String) { self.name = name }
}

@Model
final class LayoutFriends {
  var friends: [LayoutFriend]
  init() { friends = [] }
}

@Model
final class LayoutOneFriend {
  @Relationship(deleteRule: .cascade) var friend: LayoutFriend
  init(friend: LayoutFriend) { self.friend = friend }
}

@Model
final class LayoutCollision {
  var place: LayoutPlace
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var place_Name: String
  init(place: LayoutPlace) {
    self.place = place
    place_Name = ""
  }
}

@Model
final class LayoutOwnPrefix {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var Larder_secret: String
  init() { Larder_secret = "" }
}

@Model
final class LayoutTransientKey {
  #Index<LayoutTransientKey>([\.name, \.seen])
  var name: String
  @Transient var seen = false
  init(name: String) { self.name = name }
}

@Model
final class LayoutEphemeral {
  static let option = Schema.Attribute.Option.ephemeral
  @Attribute(LayoutEphemeral.option) var seen: Bool
  init() { seen = false }
}

@Model
final class LayoutExternal {
  static let option = Schema.Attribute.Option.externalStorage
  @Attribute(LayoutExternal.option) var bytes = Data()
  init() {}
}

@Model
final class LayoutTransformed {
  static let option = Schema.Attribute.Option.transformable(by: "Anything")
  @Attribute(LayoutTransformed.option) var bytes = Data()
  init() {}
}

@Model
final class LayoutExternalModel {
  @Attribute(.externalStorage) var friend: LayoutExternal?
  init() {}
}

@Model
final class LayoutExternalIndex {
  #Index<LayoutExternalIndex>([\.bytes])
  @Attribute(.externalStorage) var bytes = Data()
  init() {}
}
