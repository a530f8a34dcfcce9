import Foundation
import LarderJSON
import Testing

struct Item: JSONReadable, Decodable, Equatable {
  var id: Int
  var name: String?

  init(id: Int, name: String? = nil) {
    self.id = id
    self.name = name
  }

  init(reading reader: inout JSONReader) throws {
    var id: Int?
    var name: String?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if key == "id" {
        id = try reader.readInt()
      } else if key == "name" {
        name = try reader.readIfPresent()
      } else {
        try reader.skipValue()
      }
    }
    guard let id else { throw reader.missingKey("id") }
    self.init(id: id, name: name)
  }
}

@Suite struct ElementTests {
  private func take<Element>(
    _ text: String, at path: JSONElementPath, step: Int, _ read: (inout JSONReader) throws -> Element
  ) throws -> [Element] {
    let reader = JSONElementReader(at: path, windowBytes: 16)
    let bytes = text.bytes
    var place = 0
    var elements: [Element] = []
    while true {
      switch try reader.next(read) {
      case .element(let element): elements.append(element)
      case .needsInput:
        if place == bytes.count {
          reader.finish()
        } else {
          try reader.feed(bytes[place..<min(place + step, bytes.count)])
        }
        place = min(place + step, bytes.count)
      case .end: return elements
      }
    }
  }

  static let items = (0..<40).map { Item(id: $0, name: $0 % 3 == 0 ? nil : "näme \($0) \"\\") }
  static let texts = items.map { item in
    let name = item.name.map { "\"" + $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
    return "{\"skip\":[{\"id\":\"no\"},1.5e3],\"id\":\(item.id),\"name\":\(name ?? "null")}"
  }

  @Test(arguments: [1, 2, 3, 7, 16, 100, 100_000]) func elementsOfEnvelopes(_ step: Int) throws {
    let array = "[" + ElementTests.texts.joined(separator: " ,\n") + "]"
    let envelopes: [(String, JSONElementPath)] = [
      (array, "[*]"), (array, .topLevel), ("{\"features\":\(array)}", "features[*]"),
      ("{\"features\":\(array)}", "features"),
      (
        "{\"meta\":{\"a\":[[],{}]},\"data\":{\"x\":1,\"items\":\(array),\"y\":null},\"features\":[1]} ", "data.items[*]"
      ),
      ("{\"a.b\":\(array)}", JSONElementPath(keys: ["a.b"])), ("{\"a\":\(array),\"a\":3}", "a[*]"),
      (ElementTests.texts.joined(separator: "\n"), .lines),
      ("\n\n" + ElementTests.texts.joined(separator: "\r\n\n") + "\n", .lines),
    ]
    let read = StrictJSONDecoder().makeElementDecoder(Item.self)
    for (text, path) in envelopes {
      #expect(try take(text, at: path, step: step) { try Item(reading: &$0) } == ElementTests.items)
      #expect(try take(text, at: path, step: step, read) == ElementTests.items)
    }
    #expect(try take("12\n-3.5e1\n0", at: .lines, step: step) { try $0.readDouble() } == [12, -35, 0])
    #expect(try take("[]", at: .topLevel, step: step) { try $0.readDouble() } == [])
    #expect(try take("", at: .lines, step: step) { try $0.readDouble() } == [])
  }

  @Test(arguments: [1, 5, 1_000]) func whatIsWrongAroundThem(_ step: Int) {
    let cases: [(String, JSONElementPath, JSONError.Code)] = [
      ("{\"a\":[1,2]", "a[*]", .unexpectedEnd), ("{\"a\":[1,2]}x", "a[*]", .trailingContent),
      ("{\"a\":[1,2],\"b\":01}", "a[*]", .invalidNumber), ("{\"b\":[1,2]}", "a[*]", .noElements),
      ("{\"a\":{}}", "a[*]", .noElements), ("{\"a\":null}", "a[*]", .noElements), ("[1]", "a[*]", .noElements),
      ("{\"x\":nul}", "a[*]", .invalidLiteral), ("1 2", .lines, .trailingContent), ("[1,2", .topLevel, .unexpectedEnd),
      ("1\n[", .lines, .unexpectedEnd), ("01\n", .lines, .invalidNumber), ("", .topLevel, .unexpectedEnd),
    ]
    for (text, path, expected) in cases {
      #expect(
        code { _ = try take(text, at: path, step: step) { try $0.skipValue() } } == expected, "\(text) at \(path)")
    }
  }

  @Test(arguments: [1, 5, 1_000]) func oneBadElementDoesNotEndTheStream(_ step: Int) throws {
    let bytes = #"{"features":[{"id":1},{"id":"two"},{"id":3},[4],{"id":5}],"more":true}"#.bytes
    let reader = JSONElementReader(at: "features[*]")
    var place = 0
    var read: [Int] = []
    var errors: [String] = []
    reading: while true {
      do {
        switch try reader.next({ try Item(reading: &$0) }) {
        case .element(let item): read.append(item.id)
        case .needsInput:
          if place == bytes.count {
            reader.finish()
          } else {
            try reader.feed(bytes[place..<min(place + step, bytes.count)])
          }
          place = min(place + step, bytes.count)
        case .end: break reading
        }
      } catch let error as JSONError {
        errors.append(error.pathDescription)
      }
    }
    #expect(read == [1, 3, 5])
    #expect(errors == ["features[1].id", "features[3]"])
  }

  /// A type that swallows errors must not be deceived by the end of a chunk.
  @Test(arguments: [1, 2, 3, 10]) func swallowedErrors(_ step: Int) throws {
    struct Lenient: JSONReadable, Equatable {
      var number: Int?
      init(reading reader: inout JSONReader) throws {
        number = try? reader.readInt()
        if number == nil { try? reader.skipValue() }
      }
    }
    let numbers = try take("[1234567,\"abcdefgh\",8901234]", at: .topLevel, step: step) {
      try Lenient(reading: &$0).number
    }
    #expect(numbers == [1_234_567, nil, 8_901_234])
  }

  @Test func sequencesOfChunks() async throws {
    let text = "{\"features\":[" + ElementTests.texts.joined(separator: ",") + "],\"n\":1}"
    let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let bytes = text.bytes
    for start in stride(from: 0, to: bytes.count, by: 33) {
      continuation.yield(Array(bytes[start..<min(start + 33, bytes.count)]))
    }
    continuation.finish()
    var items: [Item] = []
    for try await item in JSONElementSequence(of: Item.self, at: "features[*]", in: chunks) { items.append(item) }
    #expect(items == ElementTests.items)

    let (data, second) = AsyncStream.makeStream(of: Data.self)
    second.yield(Data(bytes))
    second.finish()
    items = []
    for try await item in JSONElementSequence(decoding: Item.self, at: "features[*]", in: data) { items.append(item) }
    #expect(items == ElementTests.items)
  }

  /// Elements come before the stream has ended: each as soon as it is whole.
  @Test func elementsDoNotWaitForTheRest() async throws {
    let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    var iterator = JSONElementSequence(of: Int.self, at: .topLevel, in: chunks).makeAsyncIterator()
    for number in 1...5 {
      continuation.yield("\(number == 1 ? "[" : "")\(number),".bytes)
      #expect(try await iterator.next() == number)
    }
    continuation.yield("6".bytes)
    continuation.finish()
    // A number ends with the stream, and the array does not.
    #expect(try await iterator.next() == 6)
    do {
      _ = try await iterator.next()
      Issue.record("the array did not end")
    } catch let error as JSONError {
      #expect(error.code == .unexpectedEnd)
    }
    #expect(try await iterator.next() == nil)
  }
}
