import LarderSupport

/// Row IDs in the compact form of the history, in ascending order.
///
/// Each positive number is the distance from the previous row. A negative number is the count of rows that follow the previous
/// row without a gap: rows 4, 5, 6 and 10 are `4, -2, 4`. If the distance exceeds the range of a number, a 0 precedes the row
/// ID itself.
struct RowRuns: Sendable, Hashable {
  private(set) var ranges: [ClosedRange<Int64>] = []
  private(set) var count: Int64 = 0

  /// - Parameter rows: The row IDs, in any order, with or without duplicates.
  init(_ rows: [Int64]) {
    for row in RowRuns.sorted(rows) {
      guard let last = ranges.last else {
        append(row...row)
        continue
      }
      if row == last.upperBound { continue }
      if row == last.upperBound &+ 1 {
        ranges[ranges.count - 1] = last.lowerBound...row
        count += 1
      } else {
        append(row...row)
      }
    }
  }

  private mutating func append(_ range: ClosedRange<Int64>) {
    ranges.append(range)
    count += range.upperBound - range.lowerBound + 1
  }

  /// Returns the rows in ascending order. Most saves list rows in the order of creation, so this is checked first.
  private static func sorted(_ rows: [Int64]) -> [Int64] {
    for place in rows.indices.dropFirst() where rows[place - 1] > rows[place] { return rows.inOrder() }
    return rows
  }

  /// Creates the rows from their encoded form, or returns `nil` if the numbers are not a valid encoding.
  init?(numbers: [Int64]) {
    var isRowItself = true
    for number in numbers {
      if isRowItself {
        if let last = ranges.last, number <= last.upperBound { return nil }
        append(number...number)
        isRowItself = false
      } else if number == 0 {
        isRowItself = true
      } else if number > 0, let last = ranges.last?.upperBound {
        let (row, overflow) = last.addingReportingOverflow(number)
        guard !overflow else { return nil }
        append(row...row)
      } else {
        guard number != .min, number < 0, let open = ranges.popLast() else { return nil }
        let (end, overflow) = open.upperBound.addingReportingOverflow(-number)
        guard !overflow, -number <= RowRuns.maximumCount else { return nil }
        count -= open.upperBound - open.lowerBound + 1
        append(open.lowerBound...end)
      }
      guard count <= RowRuns.maximumCount else { return nil }
    }
    if isRowItself, !numbers.isEmpty { return nil }
  }

  /// 2²⁸ rows: no save writes as many at once, and a damaged store must not make a reader allocate memory for more.
  static let maximumCount: Int64 = 1 << 28

  func encode(to text: inout HistoryJSONWriter) {
    text.append("[")
    var last: Int64?
    for range in ranges {
      if let last {
        // The distance of row IDs that other programs have assigned may exceed the range of a number.
        let (distance, overflow) = range.lowerBound.subtractingReportingOverflow(last)
        text.append(overflow ? ",0," : ",")
        text.append(overflow ? range.lowerBound : distance)
      } else {
        text.append(range.lowerBound)
      }
      if range.count > 1 {
        text.append(",")
        text.append(range.lowerBound - range.upperBound)
      }
      last = range.upperBound
    }
    text.append("]")
  }
}

extension RowRuns: Sequence {
  func makeIterator() -> FlattenSequence<[ClosedRange<Int64>]>.Iterator { ranges.joined().makeIterator() }
}
