import Foundation

/// The ranges that can be captured, by their bounds.
protocol CapturedRange {
  associatedtype Bound
  static var includesUpper: Bool { get }
  static var hasLower: Bool { get }
  static var hasUpper: Bool { get }
  /// The lower bound; for a range without one, an arbitrary value.
  var lower: Bound { get }
  var upper: Bound { get }
}

extension Range: CapturedRange {
  static var includesUpper: Bool { false }
  static var hasLower: Bool { true }
  static var hasUpper: Bool { true }
  var lower: Bound { lowerBound }
  var upper: Bound { upperBound }
}

extension ClosedRange: CapturedRange {
  static var includesUpper: Bool { true }
  static var hasLower: Bool { true }
  static var hasUpper: Bool { true }
  var lower: Bound { lowerBound }
  var upper: Bound { upperBound }
}

extension PartialRangeFrom: CapturedRange {
  static var includesUpper: Bool { false }
  static var hasLower: Bool { true }
  static var hasUpper: Bool { false }
  var lower: Bound { lowerBound }
  var upper: Bound { lowerBound }
}

extension PartialRangeUpTo: CapturedRange {
  static var includesUpper: Bool { false }
  static var hasLower: Bool { false }
  static var hasUpper: Bool { true }
  var lower: Bound { upperBound }
  var upper: Bound { upperBound }
}

extension PartialRangeThrough: CapturedRange {
  static var includesUpper: Bool { true }
  static var hasLower: Bool { false }
  static var hasUpper: Bool { true }
  var lower: Bound { upperBound }
  var upper: Bound { upperBound }
}

extension Lowering {
  /// Returns a captured range as a term; nil for any other value.
  mutating func range<Value>(_ load: CaptureLoader<Value>) throws -> Term? {
    guard let type = Value.self as? any CapturedRange.Type else { return nil }
    return try range(type, load)
  }

  private mutating func range<Captured: CapturedRange, Value>(_ type: Captured.Type, _ load: CaptureLoader<Value>)
    throws
    -> Term?
  {
    guard let load = load as? CaptureLoader<Captured> else { return nil }
    let lower = Captured.hasLower ? try parameter(load.map(\.lower)) : nil
    let upper = Captured.hasUpper ? try parameter(load.map(\.upper)) : nil
    return Term(.range(lower: lower, upper: upper, includesUpper: Captured.includesUpper), .structure)
  }
}
