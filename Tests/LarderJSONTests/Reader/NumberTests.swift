import Foundation
import LarderJSON
import TestSeeds
import Testing

@Suite struct NumberTests {
  private func double(_ text: String) throws -> Double { try JSONReader.read(text.bytes) { try $0.readDouble() } }
  private func int(_ text: String) throws -> Int64 { try JSONReader.read(text.bytes) { try $0.readInt64() } }
  private func decimal(_ text: String) throws -> Decimal { try JSONReader.read(text.bytes) { try $0.readDecimal() } }

  @Test func doublesAreTheNearest() throws {
    var texts = [
      "0", "-0", "-0.0", "0.1", "0.2", "1e22", "1e23", "9007199254740993", "9007199254740992", "9007199254740991",
      "2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "5e-324", "1.7976931348623157e308", "1e-323",
      "123456789012345678901234567890", "0.000000000000000000000000000000000001", "1e0", "1E+2",
      "12345678901234567890e-5",
      "9007199254740993.0000000000000000000000001", "0.500000000000000166533453693773481063544750213623046875",
      "3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565",
      "9214843084008499", "100000000000000016777215", "100000000000000016777216", "18014398509481984.5",
    ]
    var random = SeededGenerator(seed: Share.seed)
    for _ in 0..<20_000 {
      let bits = random.next()
      let value = Double(bitPattern: bits)
      if value.isFinite, value != 0 { texts.append("\(value)") }
      // More digits than a double has, near the middle between two.
      texts.append("\(UInt64.random(in: 0...UInt64.max, using: &random))e\(Int.random(in: -330...285, using: &random))")
      texts.append("\(Int.random(in: 0...99_999, using: &random)).\(UInt64.random(in: 0...UInt64.max, using: &random))")
      texts.append("\(random.next() >> 10)\(random.next()).\(random.next())")
    }
    for text in texts {
      let expected = try #require(Double(text))
      guard expected.isFinite, expected != 0 || !text.contains(where: { "123456789".contains($0) }) else {
        #expect(throws: JSONError.self) { try double(text) }
        continue
      }
      let read = try double(text)
      if read.bitPattern != expected.bitPattern {
        Issue.record("\(text): \(read), not \(expected); seed \(Share.seed)")
      }
      let float = try? JSONReader.read(text.bytes) { try $0.readFloat() }
      let expectedFloat = Float(text).flatMap { $0.isFinite && ($0 != 0 || expected == 0) ? $0 : nil }
      if float?.bitPattern != expectedFloat?.bitPattern { Issue.record("\(text) as Float; seed \(Share.seed)") }
    }
  }

  @Test(arguments: ["1e309", "-1e400", "1e-400", "1e999999999999999999999", "1.7976931348623159e308"])
  func doublesThatAreNone(_ text: String) {
    #expect(code { _ = try double(text) } == .numberNotRepresentable)
  }

  @Test func integersAreExact() throws {
    let cases: [(String, Int64?)] = [
      ("0", 0), ("-0", 0), ("-0.0", 0), ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("1.5", nil), ("1e-1", nil),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
      ("-9223372036854775809", nil), ("9223372036854775807.0", .max), ("9223372036854775807.1", nil),
      ("922337203685477580.7e1", .max), ("1.0000000000000001", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
      ("18446744073709551615", nil), ("0e999999999", 0), ("0.000e-999999", 0), ("1e-999999", nil),
      ("10000000000000000000000e-22", 1), ("123456789012345678901234567890", nil),
      ("0.0000000000000000000000001e25", 1),
    ]
    for (text, expected) in cases {
      #expect((try? int(text)) == expected, "\(text)")
      if expected == nil { #expect(code { _ = try int(text) } == .numberNotRepresentable, "\(text)") }
    }
    #expect(try JSONReader.read("18446744073709551615".bytes) { try $0.readUInt64() } == .max)
    #expect(try JSONReader.read("1.8446744073709551615e19".bytes) { try $0.readInteger(UInt.self) } == .max)
    #expect(code { _ = try JSONReader.read("-1".bytes) { try $0.readUInt64() } } == .numberNotRepresentable)
    #expect(try JSONReader.read("-0".bytes) { try $0.readUInt64() } == 0)
    #expect(try JSONReader.read("[-128,127]".bytes) { try [Int8](reading: &$0) } == [-128, 127])
    #expect(code { _ = try JSONReader.read("128".bytes) { try $0.readInteger(Int8.self) } } == .numberNotRepresentable)
    #expect(code { _ = try JSONReader.read("256".bytes) { try $0.readInteger(UInt8.self) } } == .numberNotRepresentable)
  }

  @Test func decimalsAreExact() throws {
    for text in [
      "0", "0.1", "1.10", "-12.345", "0.30000000000000004", "340282366920938463463374607431768211455", "1e127",
      "1e-128",
      "99999999999999999999999999999999999999", "123456789.123456789123456789", "-0.000001", "1e30",
      "18446744073709551616",
      "10.00000000000000000000000000000000000000000000000",
    ] {
      #expect(try decimal(text) == #require(Decimal(string: text)), "\(text)")
    }
    for text in [
      "340282366920938463463374607431768211456", "1e400", "1e-129", "0.1234567890123456789012345678901234567890123",
      "1e128",
    ] {
      #expect(code { _ = try decimal(text) } == .numberNotRepresentable, "\(text)")
    }
  }

  @Test func numbersAreNotReadFromStrings() {
    #expect(code { _ = try double("\"1\"") } == .typeMismatch)
    #expect(code { _ = try int("null") } == .valueNotFound)
    #expect(code { _ = try int("true") } == .typeMismatch)
  }
}
