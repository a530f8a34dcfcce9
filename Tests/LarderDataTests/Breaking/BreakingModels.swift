// Names as users may choose them, which no style guide would.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, IdentifiersMustBeASCII, TypeNamesShouldBeCapitalized

import Foundation
import SwiftData

/// Named as what SQLite calls the row that an upsert would have inserted.
@Model
final class Excluded {
  @Attribute(.unique) var key: Int
  var value: String

  init(key: Int, value: String) {
    self.key = key
    self.value = value
  }
}

/// Names that mean something to SQL.
@Model
class Order {
  @Attribute(.unique) var rowid: Int
  var id: UUID
  var version: Int
  var select: String
  var `default`: String?
  var group: Int?
  var _rowid_: Int
  var oid: Int
  var excluded: Int
  var größe: Int
  private var secret: Int

  init(rowid: Int, select: String = "") {
    self.rowid = rowid
    id = UUID()
    version = 1
    self.select = select
    self.default = nil
    group = nil
    _rowid_ = 2
    oid = 3
    excluded = 4
    größe = 5
    secret = 6
  }

  var revealed: Int {
    get { secret }
    set { secret = newValue }
  }
}

@Model
final class Nothing {
  init() {}
}

@Model
final class AllOptional {
  var a: Int?
  var b: String?
  var c: Date?

  init() {}
}

enum Cases {
  @Model
  final class item {
    var a: Int
    init() { a = 1 }
  }

  @Model
  final class Item {
    var a: Int
    init() { a = 1 }
  }

  @Model
  final class Ambiguous {
    #Unique<Ambiguous>([\.a, \.b_c], [\.a_b, \.c])
    var a: Int
    var b_c: Int
    var a_b: Int
    var c: Int
    init() {
      a = 1
      b_c = 2
      a_b = 3
      c = 4
    }
  }

  @Model
  final class A {
    #Unique<A>([\.b_c])
    var b_c: Int
    init() { b_c = 1 }
  }

  @Model
  final class A_b {
    #Unique<A_b>([\.c])
    var c: Int
    init() { c = 1 }
  }

  @Model
  final class Own {
    var larder_id: Int
    init() { larder_id = 1 }
  }

  @Model
  final class larder_store {
    var a: Int
    init() { a = 1 }
  }

  @Model
  final class sqlite_thing {
    var a: Int
    init() { a = 1 }
  }
}

@Model
final class Tagged {
  @Attribute(.unique) var key: Int
  var tags: Set<String>
  var weights: [Int: String]

  init(key: Int, tags: Set<String>, weights: [Int: String] = [:]) {
    self.key = key
    self.tags = tags
    self.weights = weights
  }
}

/// Unique by types other than text.
@Model
final class Keyed {
  @Attribute(.unique) var date: Date?
  @Attribute(.unique) var double: Double?
  @Attribute(.unique) var decimal: Decimal?
  @Attribute(.unique) var uuid: UUID?
  @Attribute(.unique) var grade: Quality?
  var text: String

  init(text: String) { self.text = text }
}

struct Fussy: Codable, Equatable {
  static let refused = "refused"
  var text: String

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    if text == Fussy.refused {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "refused"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    if text == "unencodable" {
      throw EncodingError.invalidValue(text, .init(codingPath: encoder.codingPath, debugDescription: "unencodable"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

@Model
final class Fuss {
  var number: Int
  var value: Fussy
  var list: [Fussy]

  init(number: Int, value: Fussy, list: [Fussy] = []) {
    self.number = number
    self.value = value
    self.list = list
  }
}
