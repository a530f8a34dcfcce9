import Foundation
import LarderSupport

/// The kind of a Swift value, without its optionality. It determines how values compare, and the operations that they
/// support.
indirect enum ValueKind: Equatable, Sendable {
  /// Integers of a type whose values are in this range, within a store's own range.
  case integer(ClosedRange<Int64>)
  case real
  /// `Float`, whose arithmetic rounds to fewer digits.
  case float
  case bool
  case date
  case text
  case decimal
  case uuid
  case url
  case data
  /// An enumeration, or another type with a raw value, stored as its raw value.
  case raw(ValueKind)
  /// A composite, a collection, any value stored as JSON, or the object: SQL compares none of these as one value.
  case structure

  /// Returns the kind of a type, or of an optional's wrapped type; nil for any other type than a scalar.
  static func of(_ type: any Any.Type) -> ValueKind? {
    if let optional = type as? any OptionalValue.Type { return of(optional.wrappedType) }
    if let integer = type as? any FixedWidthInteger.Type { return integerKind(integer) }
    switch ObjectIdentifier(type) {
    case ObjectIdentifier(String.self), ObjectIdentifier(Substring.self), ObjectIdentifier(Character.self):
      return .text
    case ObjectIdentifier(Double.self): return .real
    case ObjectIdentifier(Float.self): return .float
    case ObjectIdentifier(Bool.self): return .bool
    case ObjectIdentifier(Date.self): return .date
    case ObjectIdentifier(Decimal.self): return .decimal
    case ObjectIdentifier(UUID.self): return .uuid
    case ObjectIdentifier(URL.self): return .url
    case ObjectIdentifier(Data.self): return .data
    default:
      guard let raw = type as? any RawRepresentable.Type else { return nil }
      return rawKind(raw)
    }
  }

  private static func integerKind<Integer: FixedWidthInteger>(_ type: Integer.Type) -> ValueKind {
    .integer(Int64(clamping: Integer.min)...Int64(clamping: Integer.max))
  }

  private static func rawKind<Raw: RawRepresentable>(_ type: Raw.Type) -> ValueKind? {
    of(Raw.RawValue.self).map { .raw($0) }
  }

  var isInteger: Bool {
    if case .integer = self { true } else { false }
  }

  var isReal: Bool { self == .real || self == .float }

  /// Whether Swift's `<` has the same order as the stored values.
  var isOrdered: Bool {
    switch self {
    case .integer, .real, .float, .date, .text, .decimal, .uuid: true
    case .bool, .url, .data, .raw, .structure: false
    }
  }

  /// The column type of the values.
  var columnType: _ColumnType? {
    switch self {
    case .integer, .bool: .integer
    case .real, .float, .date: .real
    case .text, .decimal, .uuid, .url: .text
    case .data: .blob
    case .raw(let kind): kind.columnType
    case .structure: nil
    }
  }
}

/// An optional whose value generic code can read.
protocol OptionalValue: OptionalType {
  associatedtype Wrapped
  var wrappedValue: Wrapped? { get }
  init(wrapping value: Wrapped?)
}

extension Optional: OptionalValue {
  var wrappedValue: Wrapped? { self }
  init(wrapping value: Wrapped?) { self = value }
}
