import Testing

@testable import LarderJSON

@Suite struct KeyTableTests {
  /// Keys that have all but a few bytes in common, at their end or in their midst.
  private static func keys(_ form: Int, _ number: Int) -> String {
    let digits = "\(10_000 + number)"
    return switch form {
    case 0: digits
    case 1: "measurement_\(digits)"
    case 2: "a_prefix_of_more_than_two_words_\(digits)_and_a_suffix_that_is_long_as_well"
    default: "\(digits)_suffix_of_all"
    }
  }

  private func number(_ keys: [String], by table: KeyTable) throws -> [UInt32] {
    let object = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    return try JSONReader.read(object.bytes) { reader in
      var numbers: [UInt32] = []
      try reader.beginObject()
      while let key = try reader.nextKey() {
        numbers.append(table.number(of: key))
        try reader.skipValue()
      }
      return numbers
    }
  }

  /// A key is found within a few steps, however much of it is the same as in all others. The seed decides where each is, so
  /// the steps are the same each time.
  @Test(arguments: 0..<4) func keysOfOnePrefixAreApart(_ form: Int) throws {
    let keys = (0..<4_000).map { KeyTableTests.keys(form, $0) }
    for seed in [0, 1, 0x0123_4567_89AB_CDEF, .max] as [UInt64] {
      let table = KeyTable(seed: seed) { $0 }
      let numbers = try number(keys, by: table)
      #expect(numbers == (0..<4_000).map { UInt32($0) })
      let again = try number(keys, by: table)
      #expect(again == numbers)
      let slots = table.slots
      let steps = slots.indices.compactMap { index in
        slots[index].map { (index - table.firstSlot(of: $0.hash)) & (slots.count - 1) }
      }
      #expect(steps.count == 4_000)
      #expect((steps.max() ?? 0) < 64, "seed \(seed)")
    }
  }

  @Test func keysThatBecomeTheSameHaveOneNumber() throws {
    let table = KeyTable(convert: SnakeCase.camelCase)
    #expect(try number(["some_key", "someKey", "other_key", "some__key"], by: table) == [0, 0, 1, 0])
    #expect(table.converted == ["someKey", "otherKey"])
    #expect(table.number(of: "otherKey") == 1)
    #expect(table.number(of: "other_key") == nil)
  }
}
