import LarderData

/// A lossless conversion of stored values from one type to another.
struct ValueConversion {
  /// Returns the expression of the new value for an expression of the old value.
  let expression: (String) -> String
  /// Returns a condition that holds for values that would be lost.
  var lossCondition: ((String) -> String)?

  private static var identity: ValueConversion { ValueConversion { $0 } }

  /// Returns `nil` if there is no safe conversion between the two types.
  init?(from old: Form, to new: Form) {
    let (oldType, newType) = (old.bareType, new.bareType)
    // Stores that were created before forms were recorded have no form for JSON either.
    let isOlder = old.form == nil && new.form == "json" && oldType == newType
    guard old.form == new.form || isOlder else { return nil }
    if oldType == newType, old.type == new.type {
      self = .identity
    } else if let range = Integers.ranges[newType], Integers.ranges[oldType] != nil {
      self.init(integer: oldType, range)
    } else if Integers.ranges[oldType] != nil, newType == "Double" || newType == "Float" {
      // Only the range in which every integer is exactly representable.
      let limit = Int64(1) << (newType == "Double" ? 53 : 24)
      self.init(expression: { "CAST(\($0) AS REAL)" }, lossCondition: { "\($0) NOT BETWEEN -\(limit) AND \(limit)" })
    } else if Integers.ranges[oldType] != nil, oldType != "Bool", newType == "Decimal" {
      self.init(expression: { "CAST(\($0) AS TEXT)" })
    } else if oldType == "Float" && newType == "Double" || oldType == "Character" && newType == "String" {
      self = .identity
    } else if old.type == new.type, !Self.isStandard(oldType) || !Self.isStandard(newType) {
      // A type of the program's own, such as an enumeration, whose raw values these are.
      self = .identity
    } else {
      return nil
    }
  }

  private init(expression: @escaping (String) -> String, lossCondition loses: ((String) -> String)? = nil) {
    self.expression = expression
    self.lossCondition = loses
  }

  private init(integer old: String, _ range: ClosedRange<Int64>) {
    expression = { $0 }
    guard let former = Integers.ranges[old] else { return }
    if range.lowerBound <= former.lowerBound, range.upperBound >= former.upperBound { return }
    lossCondition = {
      "\($0) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
  }

  /// Whether one of two types is the program's own, so that the same column may hold values that the other type cannot
  /// decode.
  static func requiresDecoding(from old: Form, to new: Form) -> Bool {
    old.bareType != new.bareType && (!isStandard(old.bareType) || !isStandard(new.bareType))
  }

  /// Whether some values change their meaning, or only decoding can tell.
  static func changesMeaning(from old: Form, to new: Form) -> Bool {
    if new.bareType == old.bareType { return false }
    if requiresDecoding(from: old, to: new) { return true }
    guard let conversion = ValueConversion(from: old, to: new) else { return true }
    return conversion.lossCondition != nil
  }

  private static func isStandard(_ name: String) -> Bool {
    ValueTypes.isStandard(ValueTypes.type(named: name))
  }

  /// The recorded facts about a column.
  struct Form {
    var type: _ColumnType
    /// The name of the type in Swift.
    var valueType: String
    /// The form, such as `json`; `nil` for a plain value.
    var form: String?

    /// The type's name without its question marks.
    var bareType: String { String(valueType.prefix { $0 != "?" }) }
  }

  /// Whether a column holds a member of a struct whose type differs, with one of both types the program's own.
  static func membersRequireDecoding(_ old: TableDefinition.Column, _ new: TableDefinition.Column) -> Bool {
    guard let was = old.memberType, let now = new.memberType else { return false }
    return requiresDecoding(
      from: Form(type: old.type, valueType: was, form: old.form),
      to: Form(type: new.type, valueType: now, form: new.form))
  }

  /// Returns the forms of a column before and after. A member of a struct is compared by its own type if that is known;
  /// if one type is the program's own, only decoding can tell, and the struct's type stands for both.
  static func forms(_ old: TableDefinition.Column, _ new: TableDefinition.Column) -> (old: Form, new: Form) {
    func form(_ column: TableDefinition.Column, _ type: String) -> Form {
      Form(type: column.type, valueType: type, form: column.form)
    }
    if let was = old.memberType, let now = new.memberType {
      let members = (old: form(old, was), new: form(new, now))
      if !requiresDecoding(from: members.old, to: members.new) { return members }
    }
    return (form(old, old.valueType), form(new, new.valueType))
  }

  private enum Integers {
    static let ranges: [String: ClosedRange<Int64>] = [
      "Bool": 0...1, "Int8": -128...127, "Int16": -32_768...32_767, "Int32": -2_147_483_648...2_147_483_647,
      "Int64": .min ... .max, "Int": .min ... .max, "UInt8": 0...255, "UInt16": 0...65_535,
      "UInt32": 0...4_294_967_295, "UInt64": 0 ... .max, "UInt": 0 ... .max,
    ]
  }
}
