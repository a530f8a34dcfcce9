import SwiftData

/// Related models without an index of their own.
@Model
final class Casket {
  var name: String
  var rank: Int
  @Relationship(inverse: \Folio.casket) var folios: [Folio] = []
  @Relationship(inverse: \Bolt.casket) var bolt: Bolt?

  init(_ name: String, rank: Int = 0) {
    self.name = name
    self.rank = rank
  }
}

@Model
final class Folio {
  #Index<Folio>([\.number])
  var number: Int
  var rank: Int
  var title: String = ""
  var casket: Casket?
  var stamps: [Stamp] = []

  init(_ number: Int, rank: Int = 0, casket: Casket? = nil) {
    self.number = number
    self.rank = rank
    self.casket = casket
  }
}

/// Has the key to its casket.
@Model
final class Bolt {
  var code: Int
  var casket: Casket?

  init(_ code: Int, casket: Casket? = nil) {
    self.code = code
    self.casket = casket
  }
}

@Model
final class Stamp {
  var text: String
  @Relationship(inverse: \Folio.stamps) var folios: [Folio] = []

  init(_ text: String) { self.text = text }
}

/// The same with the indexes that are advised.
@Model
final class IndexedCasket {
  #Index<IndexedCasket>([\.name], [\.rank], [\.name, \.rank])
  var name: String
  var rank: Int
  @Relationship(inverse: \IndexedFolio.casket) var folios: [IndexedFolio] = []
  @Relationship(inverse: \IndexedBolt.casket) var bolt: IndexedBolt?

  init(_ name: String, rank: Int = 0) {
    self.name = name
    self.rank = rank
  }
}

@Model
final class IndexedFolio {
  #Index<IndexedFolio>([\.rank])
  var number: Int
  var rank: Int
  var casket: IndexedCasket?
  var stamps: [IndexedStamp] = []

  init(_ number: Int, rank: Int = 0, casket: IndexedCasket? = nil) {
    self.number = number
    self.rank = rank
    self.casket = casket
  }
}

@Model
final class IndexedBolt {
  #Index<IndexedBolt>([\.code])
  var code: Int
  var casket: IndexedCasket?

  init(_ code: Int, casket: IndexedCasket? = nil) {
    self.code = code
    self.casket = casket
  }
}

@Model
final class IndexedStamp {
  #Index<IndexedStamp>([\.text])
  var text: String
  @Relationship(inverse: \IndexedFolio.stamps) var folios: [IndexedFolio] = []

  init(_ text: String) { self.text = text }
}
