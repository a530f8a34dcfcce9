import LarderJSON
import TestSeeds

/// The ways in which a document can reach a reader, all of which must come to the same.
enum Feeding: CaseIterable {
  case whole
  case byteByByte
  case pulled
  case fed

  func read<Result>(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), seed: UInt64 = 1,
    _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    var random = SeededGenerator(seed: seed)
    switch self {
    case .whole: return try JSONReader.read(bytes, limits: limits, body)
    case .byteByByte: return try pull(bytes, limits) { 1 }(body)
    case .pulled: return try pull(bytes, limits) { Int.random(in: 1...40, using: &random) }(body)
    case .fed:
      // Elements of a path that is none: one value, which stands for itself.
      let reader = JSONElementReader(at: .lines, limits: limits, windowBytes: 16)
      var place = 0
      var result: Result?
      while true {
        switch try reader.next(body) {
        case .element(let element):
          guard result == nil else { throw JSONError(code: .trailingContent) }
          result = element
        case .needsInput:
          guard place < bytes.count else {
            reader.finish()
            continue
          }
          let end = min(place + Int.random(in: 1...40, using: &random), bytes.count)
          try reader.feed(bytes[place..<end])
          place = end
        case .end:
          guard let result else { throw JSONError(code: .unexpectedEnd) }
          return result
        }
      }
    }
  }

  private func pull<Result>(_ bytes: [UInt8], _ limits: JSONLimits, _ step: @escaping () -> Int)
    -> ((inout JSONReader) throws -> Result) throws -> Result
  {
    { body in
      var place = 0
      var reader = JSONReader(limits: limits, windowBytes: 16) { buffer in
        let end = min(place + min(step(), buffer.count), bytes.count)
        buffer.copyBytes(from: bytes[place..<end])
        defer { place = end }
        return end - place
      }
      let result = try body(&reader)
      try reader.finishDocument()
      return result
    }
  }
}

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

/// The code of the error that something throws.
func code(_ body: () throws -> Void) -> JSONError.Code? {
  do { try body() } catch let error as JSONError { return error.code } catch { return nil }
  return nil
}
