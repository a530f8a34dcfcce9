import LarderJSON

/// A fed reader whose calls are made again, with a few bytes more each time, until there are enough.
struct Trickle: ~Copyable {
  private var reader: JSONReader
  private let bytes: [UInt8]
  private let step: Int
  private var place = 0

  init(_ bytes: [UInt8], step: Int, limits: JSONLimits = JSONLimits()) {
    reader = JSONReader(limits: limits, windowBytes: 16)
    self.bytes = bytes
    self.step = step
  }

  mutating func call<Result>(_ body: (inout JSONReader) throws -> Result) throws -> Result {
    while true {
      do {
        return try body(&reader)
      } catch let error as JSONError where error.code == .needsInput {
        let end = min(place + step, bytes.count)
        if place == end { reader.finish() } else { try reader.feed(Array(bytes[place..<end])) }
        place = end
      }
    }
  }
}

/// What one call comes to that is made again with a few bytes more each time.
func trickled<Result>(
  _ bytes: [UInt8], step: Int, limits: JSONLimits = JSONLimits(), _ body: (inout JSONReader) throws -> Result
) throws -> Result {
  var trickle = Trickle(bytes, step: step, limits: limits)
  return try trickle.call(body)
}
