import Foundation
import SwiftData

/// An end of a relationship of one to one, with a unique name.
protocol Coupled: PersistentModel {
  var name: String { get }
  var partner: (any Coupled)? { get set }
}

@Model final class Hull: Coupled {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Keel.hull) var keel: Keel?
  var text = ""
  init(_ name: String) { self.name = name }

  var partner: (any Coupled)? {
    get { keel }
    set { keel = newValue as? Keel }
  }
}

@Model final class Keel: Coupled {
  @Attribute(.unique) var name: String
  var hull: Hull?
  init(_ name: String) { self.name = name }

  var partner: (any Coupled)? {
    get { hull }
    set { hull = newValue as? Hull }
  }
}

@Model class Lock: Coupled {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \LockKey.lock) var key: LockKey?
  init(_ name: String) { self.name = name }

  var partner: (any Coupled)? {
    get { key }
    set { key = newValue as? LockKey }
  }
}

@Model final class Padlock: Lock {
  var shackle = 1
  override init(_ name: String) { super.init(name) }
}

@Model class LockKey: Coupled {
  @Attribute(.unique) var name: String
  var lock: Lock?
  init(_ name: String) { self.name = name }

  var partner: (any Coupled)? {
    get { lock }
    set { lock = newValue as? Lock }
  }
}

@Model final class MasterKey: LockKey {
  var level = 1
  override init(_ name: String) { super.init(name) }
}

@Model class Skater: Coupled {
  @Attribute(.unique) var name: String
  @Relationship(inverse: Skater.with) var other: Skater?
  // The macro cannot name the property that it stands at.
  static var with: AnyKeyPath { \Skater.other }
  init(_ name: String) { self.name = name }

  var partner: (any Coupled)? {
    get { other }
    set { other = newValue as? Skater }
  }
}

@Model final class LeadSkater: Skater {
  var leads = 1
  override init(_ name: String) { super.init(name) }
}

/// Models at the two ends of a relationship of one to one.
enum Couple: String, CaseIterable {
  case classes, hierarchies, mirrored

  var models: [any PersistentModel.Type] {
    switch self {
    case .classes: [Hull.self, Keel.self]
    case .hierarchies: [Lock.self, Padlock.self, LockKey.self, MasterKey.self]
    case .mirrored: [Skater.self, LeadSkater.self]
    }
  }

  /// The models at an end, each before those that inherit from it.
  func classes(_ end: Int) -> [any Coupled.Type] {
    switch self {
    case .classes: end == 0 ? [Hull.self] : [Keel.self]
    case .hierarchies: end == 0 ? [Lock.self, Padlock.self] : [LockKey.self, MasterKey.self]
    case .mirrored: [Skater.self, LeadSkater.self]
    }
  }

  func make(_ name: CoupleName) -> any Coupled {
    let text = name.text
    switch (self, name.end, name.place) {
    case (.classes, 0, _): return Hull(text)
    case (.classes, _, _): return Keel(text)
    case (.hierarchies, 0, 0): return Lock(text)
    case (.hierarchies, 0, _): return Padlock(text)
    case (.hierarchies, _, 0): return LockKey(text)
    case (.hierarchies, _, _): return MasterKey(text)
    case (.mirrored, _, 0): return Skater(text)
    case (.mirrored, _, _): return LeadSkater(text)
    }
  }
}

/// Who is at an end: objects of different classes never have one name.
struct CoupleName: Hashable {
  var end: Int
  /// Which of the end's classes.
  var place: Int
  var number: Int
  var text: String { "\(end)\(place)\(number)" }
}
