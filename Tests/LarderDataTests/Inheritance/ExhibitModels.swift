import Foundation
import SwiftData

/// A hierarchy whose classes all have attributes beside the row and relationships of their own.
@Model
class Exhibit {
  @Attribute(.unique) var number: Int
  @Attribute(.externalStorage) var picture: Data?
  @Attribute(.ephemeral) var isShown = false
  @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint?
  var hall: Hall?
  @Relationship(inverse: \Plaque.exhibit) var label: Plaque?
  @Relationship(inverse: \Tour.stops) var tours: [Tour] = []

  init(_ number: Int) { self.number = number }
}

@Model
class Statue: Exhibit {
  @Attribute(.ephemeral) var angle: Double?
  @Attribute(.externalStorage) var scan: Data
  var height: Int
  @Attribute(.externalStorage) var marks: [Photo.Mark] = []
  @Attribute(.transformable(by: PaintTransformer.self)) var base: Paint
  @Attribute(.ephemeral) var cover = Cover(color: 7)
  @Relationship(deleteRule: .cascade, inverse: \Pedestal.statue) var pedestal: Pedestal?
  var sculptor: Sculptor?
  @Relationship(inverse: \Sculptor.studies) var students: [Sculptor] = []

  init(_ number: Int, scan: Data, base: Paint = Paint("grey")) {
    self.scan = scan
    self.height = scan.count
    self.base = base
    super.init(number)
  }
}

@Model
final class Bronze: Statue {
  @Attribute(.externalStorage) var picturesOfCasting: [String]?
  @Attribute(.ephemeral) var isWarm = true
  var alloy: String = "tin"

  override init(_ number: Int, scan: Data, base: Paint = Paint("gold")) {
    super.init(number, scan: scan, base: base)
  }
}

@Model
final class Hall {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Exhibit.hall) var exhibits: [Exhibit] = []

  init(_ name: String) { self.name = name }
}

/// Has the key to an exhibit, and must have one.
@Model
final class Plaque {
  var text: String
  var exhibit: Exhibit

  init(_ text: String, of exhibit: Exhibit) {
    self.text = text
    self.exhibit = exhibit
  }
}

@Model
final class Pedestal {
  var weight: Int
  var statue: Statue?

  init(weight: Int) { self.weight = weight }
}

@Model
final class Sculptor {
  var name: String
  @Relationship(inverse: \Statue.sculptor) var statues: [Statue] = []
  var studies: [Statue] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Tour {
  var name: String
  var stops: [Exhibit] = []

  init(_ name: String) { self.name = name }
}
