import Foundation
import LarderData
import LarderModels

@Model
final class Song {
  @Attribute(.unique) var title: String
  @Attribute(.ephemeral) var isPlaying = false
  @Attribute(.ephemeral) var position: Double?
  @Attribute(.ephemeral) var cover: Cover = Cover(color: 7)
  var plays = 0

  init(title: String) { self.title = title }
}

/// Not Codable: what is never stored need not be.
struct Cover: Equatable {
  var color: Int
}

/// Equal by its number alone.
struct Sleeve: Equatable {
  var number: Int
  var text: String

  static func == (left: Sleeve, right: Sleeve) -> Bool { left.number == right.number }
}

@Model
final class Vinyl {
  @Attribute(.unique) var title: String
  @Attribute(.ephemeral) var sleeve: Sleeve = Sleeve(number: 1, text: "")
  @Attribute(.ephemeral) var poster: Sleeve?

  init(title: String) { self.title = title }
}

@Model
final class Photo {
  #Index<Photo>([\.title])

  @Attribute(.unique) var title: String
  @Attribute(.externalStorage) var image: Data
  @Attribute(.externalStorage, originalName: "description") var text: String?
  @Attribute(.externalStorage) var marks: [Mark] = []
  @Attribute(.externalStorage) var kind = Kind.plain
  var size: Int

  struct Mark: Codable, Equatable {
    var x: Double
    var y: Double
  }

  enum Kind: String, Codable {
    case plain, raw
  }

  init(title: String, image: Data = Data([1, 2, 3])) {
    self.title = title
    self.image = image
    self.size = image.count
  }
}

/// A color as a class of its own, which knows nothing of coding.
final class Paint {
  let name: String
  init(_ name: String) { self.name = name }
}

final class PaintTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Paint).map { Data($0.name.utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, let name = String(data: data, encoding: .utf8), name != "spoilt" else {
      return nil
    }
    return Paint(name)
  }
}

/// Turns texts round.
final class MirrorTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data(String($0.reversed()).utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { String(data: $0, encoding: .utf8) }.map { String($0.reversed()) }
  }
}

/// Gives what no column can hold.
final class LooseTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { 5 }
}

final class OneWayTransformer: ValueTransformer {
  override class func allowsReverseTransformation() -> Bool { false }
}

@Model
final class Wall {
  @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint
  @Attribute(.transformable(by: PaintTransformer.self)) var trim: Paint?
  @Attribute(.transformable(by: "Larder.Tests.Mirror")) var motto: String = "abc"
  @Attribute(.externalStorage, .transformable(by: PaintTransformer.self)) var ground: Paint?
  var width = 1

  init(paint: Paint) { self.paint = paint }
}

@Model
final class LooseWall {
  @Attribute(.transformable(by: LooseTransformer.self)) var paint: String = ""
  init() {}
}

@Model
final class OneWayWall {
  @Attribute(.transformable(by: OneWayTransformer.self)) var paint: String = ""
  init() {}
}

@Model
final class UnknownWall {
  @Attribute(.transformable(by: "NobodyKnowsThisOne")) var paint: Data?
  init() {}
}
