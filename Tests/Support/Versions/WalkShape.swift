package import SwiftData

/// The forms that the properties of one version have.
package struct WalkShape: Sendable {
  package enum A: String, Sendable { case none, int, optionalInt, defaultInt, double, optionalDouble, decimal }
  package enum B: String, Sendable { case none, string, optionalString, defaultString, state }
  package enum C: String, Sendable { case none, two, optionalTwo, defaultTwo, three, optionalThree }
  package enum D: String, Sendable { case none, inline, external }
  package enum R: String, Sendable { case none, oneWay, mirrored, listed, shared, single }

  package let a: A
  package let b: B
  package let c: C
  package let d: D
  package let r: R
  package let isUnique: Bool
}

/// One version of two models, an item and a box.
package protocol WalkVersion: VersionedSchema {
  static var shape: WalkShape { get }
  static func insert(_ states: [ItemState], boxes: [Int], _ pairs: [Pair], into context: ModelContext) throws
  static func read(_ context: ModelContext) throws -> WalkState
}

package struct Point2: Codable, Hashable, Sendable {
  package var x: Int
  package var y: Int
}

package struct Point3: Codable, Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var z: Int?

  package init(x: Int, y: Int, z: Int?) {
    self.x = x
    self.y = y
    self.z = z
  }
}

package enum SwitchState: String, Codable, Sendable {
  case on, off
}
