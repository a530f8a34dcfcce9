import SwiftData

/// A model with more properties than a mask of changes has bits, and relationships of every kind among the later ones.
@Model
final class Broad {
  var number: Int
  var a00: Int = 0
  var a01: Int = 0
  var a02: Int = 0
  var a03: Int = 0
  var a04: Int = 0
  var a05: Int = 0
  var a06: Int = 0
  var a07: Int = 0
  var a08: Int = 0
  var a09: Int = 0
  var a10: Int = 0
  var a11: Int = 0
  var a12: Int = 0
  var a13: Int = 0
  var a14: Int = 0
  var a15: Int = 0
  var a16: Int = 0
  var a17: Int = 0
  var a18: Int = 0
  var a19: Int = 0
  var a20: Int = 0
  var a21: Int = 0
  var a22: Int = 0
  var a23: Int = 0
  var a24: Int = 0
  var a25: Int = 0
  var a26: Int = 0
  var a27: Int = 0
  var a28: Int = 0
  var a29: Int = 0
  var a30: Int = 0
  var a31: Int = 0
  var a32: Int = 0
  var a33: Int = 0
  var a34: Int = 0
  var a35: Int = 0
  var a36: Int = 0
  var a37: Int = 0
  var a38: Int = 0
  var a39: Int = 0
  var a40: Int = 0
  var a41: Int = 0
  var a42: Int = 0
  var a43: Int = 0
  var a44: Int = 0
  var a45: Int = 0
  var a46: Int = 0
  var a47: Int = 0
  var a48: Int = 0
  var a49: Int = 0
  var a50: Int = 0
  var a51: Int = 0
  var a52: Int = 0
  var a53: Int = 0
  var a54: Int = 0
  var a55: Int = 0
  var a56: Int = 0
  var a57: Int = 0
  var a58: Int = 0
  var a59: Int = 0
  var a60: Int = 0
  var a61: Int = 0
  var a62: Int = 0
  var note = ""
  var parent: Broad?
  @Relationship(inverse: \Broad.parent) var parts: [Broad] = []
  var marks: [BroadMark] = []
  @Relationship(inverse: \Broad.mateOf) var mate: Broad?
  var mateOf: Broad?

  init(_ number: Int) { self.number = number }
}

@Model
final class BroadMark {
  var number: Int
  @Relationship(inverse: \Broad.marks) var broads: [Broad] = []

  init(_ number: Int) { self.number = number }
}
