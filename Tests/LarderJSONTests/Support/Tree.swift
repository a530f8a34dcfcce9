import Foundation
import LarderJSON

/// Any document, by each of the readers.
enum Tree: Equatable {
  case null
  case boolean(Bool)
  case number(Double, Int64?)
  case string(String)
  case array([Tree])
  case object([String: Tree])
}

extension Tree: JSONReadable {
  init(reading reader: inout JSONReader) throws {
    switch try reader.peek() {
    case .null:
      _ = try reader.readNull()
      self = .null
    case .boolean: self = .boolean(try reader.readBool())
    case .string: self = .string(try reader.readString())
    case .number:
      let text = try reader.withNumber { Array($0) }
      self = .number(
        try JSONReader.read(text) { try $0.readDouble() }, try? JSONReader.read(text) { try $0.readInt64() })
    case .array: self = .array(try reader.readArray { try Tree(reading: &$0) })
    case .object: self = .object(try reader.readDictionary { try Tree(reading: &$0) })
    }
  }
}

extension Tree: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number, try? value.decode(Int64.self))
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [Tree] = []
      while !elements.isAtEnd { array.append(try elements.decode(Tree.self)) }
      self = .array(array)
    } else {
      let object = try decoder.container(keyedBy: AnyKey.self)
      var values: [String: Tree] = [:]
      for key in object.allKeys { values[key.stringValue] = try object.decode(Tree.self, forKey: key) }
      self = .object(values)
    }
  }
}

struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
