import Foundation
import SwiftData

// The same models in several versions of a program: their entities have the same names.

enum Before {
  @Model final class Note {
    var title: String
    var stars: Int
    var gone: String
    init(title: String, stars: Int, gone: String) {
      self.title = title
      self.stars = stars
      self.gone = gone
    }
  }

  @Model final class Meter {
    var value: Int?
    var label: String?
    init(value: Int?, label: String?) {
      self.value = value
      self.label = label
    }
  }

  @Model final class Plain {
    var text: String?
    init(text: String?) { self.text = text }
  }

  @Model final class Bare {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Figure {
    var small: Int8
    var large: Int64
    var whole: Int
    var flag: Bool
    init(small: Int8, large: Int64, whole: Int, flag: Bool) {
      self.small = small
      self.large = large
      self.whole = whole
      self.flag = flag
    }
  }

  @Model final class Count {
    var value: Int
    init(value: Int) { self.value = value }
  }

  @Model final class Moment {
    var time: Date
    init(time: Date) { self.time = time }
  }

  @Model final class Switch {
    var state: String
    init(state: String) { self.state = state }
  }

  @Model final class Spot {
    var at: Point2
    var maybe: Point2?
    init(at: Point2, maybe: Point2?) {
      self.at = at
      self.maybe = maybe
    }
  }

  @Model final class Photo {
    var image: Data?
    init(image: Data?) { self.image = image }
  }

  @Model final class Pair {
    var one: String
    var two: String
    init(one: String, two: String) {
      self.one = one
      self.two = two
    }
  }

  @Model final class Chain {
    var a: String
    var b: String
    init(a: String, b: String) {
      self.a = a
      self.b = b
    }
  }
}

enum After {
  @Model final class Note {
    @Attribute(originalName: "title") var name: String
    var stars: Double
    var colour = "blue"
    var summary: String?
    var place = Point2(x: 7, y: 8)
    var tags = ["a"]
    init(name: String, stars: Double) {
      self.name = name
      self.stars = stars
    }
  }

  @Model final class Meter {
    var value: Int = 9
    var label: String?
    init() {}
  }

  @Model final class Plain {
    var text: String
    init(text: String) { self.text = text }
  }

  @Model final class Bare {
    var name: String
    var code: Int
    init(name: String, code: Int) {
      self.name = name
      self.code = code
    }
  }

  @Model final class Figure {
    var small: Int64
    var large: Double
    var whole: Decimal
    var flag: Int
    init(small: Int64, large: Double, whole: Decimal, flag: Int) {
      self.small = small
      self.large = large
      self.whole = whole
      self.flag = flag
    }
  }

  @Model final class Count {
    var value: Int8
    init(value: Int8) { self.value = value }
  }

  @Model final class Moment {
    var time: Double
    init(time: Double) { self.time = time }
  }

  @Model final class Switch {
    var state: SwitchState
    init(state: SwitchState) { self.state = state }
  }

  @Model final class Spot {
    @Attribute(originalName: "at") var place: Point3
    var maybe: Point3?
    init(place: Point3, maybe: Point3?) {
      self.place = place
      self.maybe = maybe
    }
  }

  @Model final class Photo {
    @Attribute(.externalStorage) var image: Data?
    init(image: Data?) { self.image = image }
  }

  @Model final class Pair {
    @Attribute(originalName: "one") var first: String
    @Attribute(originalName: "one") var second: String
    init(first: String, second: String) {
      self.first = first
      self.second = second
    }
  }

  @Model final class Chain {
    @Attribute(originalName: "a") var b: String
    @Attribute(originalName: "b") var c: String
    init(b: String, c: String) {
      self.b = b
      self.c = c
    }
  }
}

enum Later {
  @Model final class Spot {
    var at: Point2
    var maybe: Point4?
    init(at: Point2, maybe: Point4?) {
      self.at = at
      self.maybe = maybe
    }
  }

  @Model final class Switch {
    var state: [String]
    init(state: [String]) { self.state = state }
  }

  @Model final class Bare {
    var name: String
    var code: Int
    var weight: Double
    init(name: String, code: Int, weight: Double) {
      self.name = name
      self.code = code
      self.weight = weight
    }
  }

  @Model final class Figure {
    var small: Int8
    var large: Int64
    var whole: Decimal
    var flag: Int
    init(small: Int8, large: Int64, whole: Decimal, flag: Int) {
      self.small = small
      self.large = large
      self.whole = whole
      self.flag = flag
    }
  }

  @Model final class Chain {
    @Attribute(originalName: "a") var b: String
    @Attribute(originalName: "b") var c: String
    var d = 0
    init(b: String, c: String) {
      self.b = b
      self.c = c
    }
  }
}
