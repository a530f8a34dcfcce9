import SwiftData

/// A tree of which each object leads to others of it, which do not lead back.
@Model final class Knot {
  @Relationship(deleteRule: .cascade, inverse: \Knot.above) var below: [Knot] = []
  var above: Knot?
  var tied: [Knot] = []
  var friend: Knot?

  init() {}
}
