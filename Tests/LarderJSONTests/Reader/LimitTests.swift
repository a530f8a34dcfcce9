import LarderJSON
import Testing

/// Each limit has its error; what is just within passes.
@Suite struct LimitTests {
  private func check(
    _ code: JSONError.Code, within: String, beyond: String, _ change: (inout JSONLimits) -> Void
  ) {
    var limits = JSONLimits()
    change(&limits)
    for feeding in Feeding.allCases {
      #expect(throws: Never.self, "\(feeding)") {
        try feeding.read(within.bytes, limits: limits) { try $0.skipValue() }
        _ = try feeding.read(within.bytes, limits: limits) { try Tree(reading: &$0) }
      }
      for _ in 0..<2 {
        #expect(
          LarderJSONTests.code { try feeding.read(beyond.bytes, limits: limits) { try $0.skipValue() } } == code,
          "\(feeding)")
        #expect(
          LarderJSONTests.code { _ = try feeding.read(beyond.bytes, limits: limits) { try Tree(reading: &$0) } }
            == code,
          "\(feeding)")
      }
    }
  }

  @Test func depth() {
    check(.tooDeep, within: "[{\"a\":[1]}]", beyond: "[{\"a\":[[1]]}]") { $0.maximumDepth = 3 }
    check(.tooDeep, within: "1", beyond: "[]") { $0.maximumDepth = 0 }
    check(.tooDeep, within: "1", beyond: "[]") { $0.maximumDepth = -1 }
    let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
    #expect(throws: Never.self) {
      var limits = JSONLimits()
      limits.maximumDepth = .max
      try Feeding.pulled.read(deep.bytes, limits: limits) { try $0.skipValue() }
    }
  }

  @Test func length() {
    check(.documentTooLarge, within: "[1,2,3,4]", beyond: "[1,2,3,45]") { $0.maximumBytes = 9 }
  }

  @Test func strings() {
    check(.stringTooLong, within: "[\"12345678\"]", beyond: "[\"123456789\"]") { $0.maximumStringBytes = 8 }
    check(.stringTooLong, within: "{\"1234\":0}", beyond: "{\"12345\":0}") { $0.maximumStringBytes = 4 }
    let long = "[\"" + String(repeating: "é", count: 500) + "\"]"
    check(.stringTooLong, within: "[\"1\"]", beyond: long) { $0.maximumStringBytes = 99 }
  }

  @Test func numbers() {
    check(.numberTooLong, within: "[12345678]", beyond: "[123456789]") { $0.maximumNumberBytes = 8 }
    check(.numberTooLong, within: "[1]", beyond: "[0." + String(repeating: "1", count: 500) + "]") {
      $0.maximumNumberBytes = 99
    }
  }

  @Test func elements() throws {
    var limits = JSONLimits()
    limits.maximumElementBytes = 10
    for step in [1, 3, 100] {
      let reader = JSONElementReader(at: .topLevel, limits: limits)
      let bytes = #"["12345678","123456789"]"#.bytes
      var place = 0
      var taken: [String] = []
      let failure = code {
        while true {
          switch try reader.next({ try $0.readString() }) {
          case .element(let element): taken.append(element)
          case .needsInput:
            try reader.feed(bytes[place..<min(place + step, bytes.count)])
            place = min(place + step, bytes.count)
          case .end: return
          }
        }
      }
      #expect(failure == .elementTooLarge)
      #expect(taken == ["12345678"])
      // It stays so.
      #expect(code { _ = try reader.next { try $0.skipValue() } } == .elementTooLarge)
    }
  }

  /// A string that is a hundred times the window needs room for itself; what goes by does not.
  @Test func theWindowIsNoLargerThanItsToken() throws {
    let element = "[1,2,3,{\"a\":\"bcd\"}],"
    let count = 20_000
    let bytes = ("[" + String(repeating: element, count: count) + "0]").bytes
    let reader = JSONElementReader(at: .topLevel, windowBytes: 64)
    var place = 0
    var elements = 0
    var most = 0
    reading: while true {
      switch try reader.next({ try $0.skipValue() }) {
      case .element: elements += 1
      case .needsInput:
        if place == bytes.count {
          reader.finish()
        } else {
          try reader.feed(bytes[place..<min(place + 50, bytes.count)])
        }
        place = min(place + 50, bytes.count)
        most = max(most, reader.unreadBytes)
      case .end: break reading
      }
    }
    #expect(elements == count + 1)
    #expect(most <= 50 + element.utf8.count)
  }
}
