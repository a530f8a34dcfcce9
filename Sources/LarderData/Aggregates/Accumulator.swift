import CLarderSQLite
import LarderSupport

/// An accumulator of stored values in memory, with the same result as SQL: both compute sums with the same code.
protocol Accumulator: AnyObject {
  func add(_ value: _StoredValue)
  var result: [_StoredValue] { get }
}

final class RowCountAccumulator: Accumulator {
  private var count: Int64 = 0
  func add(_ value: _StoredValue) { count += 1 }
  var result: [_StoredValue] { [.integer(count)] }
}

final class ValueCountAccumulator: Accumulator {
  private var count: Int64 = 0
  func add(_ value: _StoredValue) { if value != .null { count += 1 } }
  var result: [_StoredValue] { [.integer(count)] }
}

final class DistinctCountAccumulator: Accumulator {
  private var values: Set<_StoredValue> = []
  func add(_ value: _StoredValue) { if value != .null { values.insert(value) } }
  var result: [_StoredValue] { [.integer(Int64(values.count))] }
}

final class IntegerSumAccumulator: Accumulator {
  private var total = larder_integer_total()
  private let isAverage: Bool

  init(isAverage isMean: Bool) { self.isAverage = isMean }

  func add(_ value: _StoredValue) {
    guard case .integer(let value) = value else { return }
    larder_integer_total_add(&total, value)
    total.count += 1
  }

  var result: [_StoredValue] {
    if isAverage {
      return [total.count == 0 ? .null : .real(larder_integer_total_double(&total) / Double(total.count))]
    }
    return [larder_integer_total_fits(&total) != 0 ? .integer(Int64(bitPattern: total.low)) : .null]
  }
}

final class RealSumAccumulator: Accumulator {
  private var total = larder_real_total()
  private var count: Int64 = 0
  private let withCount: Bool

  init(withCount: Bool) { self.withCount = withCount }

  func add(_ value: _StoredValue) {
    guard case .real(let value) = value else { return }
    larder_real_total_add(&total, value)
    count += 1
  }

  var result: [_StoredValue] {
    let sum = larder_real_total_value(&total)
    return [sum.isNaN ? .null : .real(sum)] + (withCount ? [.integer(count)] : [])
  }
}

final class DecimalSumAccumulator: Accumulator {
  private var total = larder_decimal_total()
  private var count: Int64 = 0
  private let withCount: Bool

  init(withCount: Bool) { self.withCount = withCount }

  func add(_ value: _StoredValue) {
    guard case .text(var text) = value else { return }
    text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        if larder_decimal_total_add(&total, text.baseAddress, Int32(clamping: text.count)) == 0 {
          total.is_unreadable = 1
        }
      }
    }
    count += 1
  }

  var result: [_StoredValue] {
    [total.is_unreadable != 0 ? .null : .text(text)] + (withCount ? [.integer(count)] : [])
  }

  private var text: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: LARDER_DECIMAL_TEXT) { buffer in
      let length = Int(larder_decimal_total_text(&total, buffer.baseAddress))
      return String(
        decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length]), as: UTF8.self)
    }
  }
}

/// An accumulator for the minimum or the maximum.
final class ExtremumAccumulator: Accumulator {
  private var best = _StoredValue.null
  private let sign: Int
  private let kind: ValueKind

  init(sign: Int, _ kind: ValueKind) {
    self.sign = sign
    self.kind = kind
  }

  func add(_ value: _StoredValue) {
    if value == .null { return }
    if best == .null || StoredOrder.sign(value, best, kind) == sign { best = value }
  }

  var result: [_StoredValue] { [best] }
}
