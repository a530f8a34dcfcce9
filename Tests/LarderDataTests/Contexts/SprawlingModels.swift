import Foundation
import SwiftData

/// More properties than a mask of changes has bits: those that share the last bit are of every kind.
@Model
class Sprawling {
  var p00 = 0
  var p01 = 1
  var p02 = 2
  var p03 = 3
  var p04 = 4
  var p05 = 5
  var p06 = 6
  var p07 = 7
  var p08 = 8
  var p09 = 9
  var p10 = 10
  var p11 = 11
  var p12 = 12
  var p13 = 13
  var p14 = 14
  var p15 = 15
  var p16 = 16
  var p17 = 17
  var p18 = 18
  var p19 = 19
  var p20 = 20
  var p21 = 21
  var p22 = 22
  var p23 = 23
  var p24 = 24
  var p25 = 25
  var p26 = 26
  var p27 = 27
  var p28 = 28
  var p29 = 29
  var p30 = 30
  var p31 = 31
  var p32 = 32
  var p33 = 33
  var p34 = 34
  var p35 = 35
  var p36 = 36
  var p37 = 37
  var p38 = 38
  var p39 = 39
  var p40 = 40
  var p41 = 41
  var p42 = 42
  var p43 = 43
  var p44 = 44
  var p45 = 45
  var p46 = 46
  var p47 = 47
  var p48 = 48
  var p49 = 49
  var p50 = 50
  var p51 = 51
  var p52 = 52
  var p53 = 53
  var p54 = 54
  var p55 = 55
  var p56 = 56
  var p57 = 57
  var p58 = 58
  var p59 = 59
  var p60 = 60
  var p61 = 61
  var plain = "plain"
  var note = "note"
  var maybe: Double?
  @Attribute(.externalStorage) var image = Data([0])
  @Attribute(.externalStorage) var cover = Data([0])
  var place = Corner(x: 0, name: "")
  var words: Set<String> = ["one", "two", "three", "four"]
  @Attribute(.unique) var key = "key"
  @Relationship(inverse: \SprawlingPart.owners) var shared: [SprawlingPart] = []
  @Relationship(inverse: \SprawlingPart.owner) var parts: [SprawlingPart] = []
  @Relationship(inverse: \SprawlingPart.partner) var partner: SprawlingPart?
  var leader: SprawlingPart?

  init() {}
}

struct Corner: Codable, Equatable {
  var x: Int
  var name: String
}

@Model
final class SprawlingChild: Sprawling {
  var own = "own"
  var other = "other"

  override init() { super.init() }
}

@Model
final class SprawlingPart {
  var number: Int
  var owners: [Sprawling] = []
  var owner: Sprawling?
  var partner: Sprawling?

  init(_ number: Int) { self.number = number }
}
