import LarderData
import LarderSQLite
import LarderSupport

// A struct whose members have columns of their own.

extension AttributeMapping {
  /// The value of a new member in rows that have the struct, and the optional structs that contain the member.
  private struct NewMember {
    let value: _StoredValue
    /// The condition that the optional structs which contain the member are present, if the store has columns for that.
    let presenceCondition: String?

    /// - Parameter expression: The expression of the value.
    func expression(_ expression: String) -> String {
      presenceCondition.map { "CASE WHEN \($0) THEN \(expression) ELSE NULL END" } ?? expression
    }
  }

  mutating func mapMembers(_ former: StoredProperty, _ source: inout RowExpressions) {
    let isMissing = former.presenceColumn.map { "NOT f.\(StoreFormat.quoted($0.name))" }
    let loses = former.isOptional && !declaration.isOptional
    let required = declaration.requiredMembers
    // The former and current types of members that only decoding can check; and all columns of a row, in their future
    // form, for rows that have the struct.
    var doubtful: [String] = []
    var row: [String] = []
    for (place, target) in targets.enumerated() {
      let given = defaults?[place]
      guard let column = former.columns[target.suffix] else {
        let member = newMember(place, isMissing, isRequired: required.contains(place))
        row.append(member.expression(member.value.literal))
        let value = member.expression(source.value(member.value))
        expressions.append(
          isMissing.map { "CASE WHEN \($0) THEN \(loses ? source.value(given ?? .null) : "NULL") ELSE \(value) END" }
            ?? value)
        continue
      }
      var (old, new) = ValueConversion.forms(column, target.column ?? column)
      if old.valueType == column.valueType {
        // If the members have no types of their own, all columns of a composite have the name of its type.
        new = ValueConversion.Form(type: target.form.type, valueType: column.valueType, form: target.form.form)
      }
      let member = Target(suffix: target.suffix, form: new, isOptional: target.isOptional)
      guard let value = convert(old, "f.\(StoreFormat.quoted(column.name))", to: member) else { return }
      row.append(value)
      if let now = target.column, ValueConversion.membersRequireDecoding(column, now) {
        doubtful.append("\(target.suffix.dropFirst()) was \(column.memberType ?? "") and is \(now.memberType ?? "")")
      }
      // If the whole struct is optional, each of its columns may be NULL; a struct that is present must be complete.
      if required.contains(place), column.isOptional { rejectMissing(value, target, isMissing) }
      expressions.append(
        isMissing.map { loses ? orDefault(value, defaults == nil ? nil : given, $0, &source) : value } ?? value)
    }
    // No column says which members an optional struct within it must have.
    if !doubtful.isEmpty || (!declaration.optionalMembers.isEmpty && hasDifferentMembers(than: former)) {
      requireReadable(doubtful, row, isMissing)
    }
  }

  private func hasDifferentMembers(than former: StoredProperty) -> Bool {
    func described(_ members: [(suffix: String, column: TableDefinition.Column?)]) -> [String] {
      members.filter { !$0.suffix.isEmpty }.map {
        "\($0.suffix) \($0.column?.memberType ?? "") \($0.column?.form ?? "")"
      }
    }
    return described(targets.map { ($0.suffix, $0.column) }) != described(former.members.map { ($0.suffix, $0.column) })
  }

  /// Adds a check that the struct can be decoded, which only works as a whole.
  ///
  /// - Parameters:
  ///   - members: The former and current types of members whose types are the program's own.
  ///   - row: The columns in their future form, for rows that have the struct.
  private mutating func requireReadable(_ members: [String], _ row: [String], _ isMissing: String?) {
    let what = members.isEmpty ? "\(name) has other members than it had" : "\(name): \(members.joined(separator: ", "))"
    let values =
      "SELECT DISTINCT \(row.joined(separator: ", ")) FROM \(rows(isMissing.map { "NOT (\($0))" }))"
    guard declaration.isCertain else {
      return checks.append(
        RowCheck(count: "SELECT count(*) FROM (\(values))", isDefinite: false) {
          "\(what); and of the values that there are (\($0)) some may not be readable as that"
        })
    }
    checks.append(
      RowCheck(values: values, isReadable: declaration.canRead) {
        "\(what); and \($0) of the values that there are can't be read as that"
      })
  }

  // MARK: New members

  private mutating func newMember(_ place: Int, _ isMissing: String?, isRequired: Bool) -> NewMember {
    let target = targets[place]
    // The declaration's value is for objects that have none; `nil` is a value if the whole struct is optional.
    let given = declaration.isOptional ? nil : defaults?[place]
    let outer = declaration.optionalMembers.filter { $0.key != place && $0.value.contains(place) }.keys.inOrder()
    let known = outer.compactMap { original?.columns[targets[$0].suffix] }
    let isWithin = known.isEmpty ? nil : known.map { "f.\(StoreFormat.quoted($0.name))" }.joined(separator: " AND ")
    if target.form.form == "presence" {
      return NewMember(value: wasPresent(place) ? .integer(1) : given ?? .integer(0), presenceCondition: isWithin)
    }
    if let given, given != .null { return NewMember(value: given, presenceCondition: isWithin) }
    let name = "\(name).\(target.suffix.dropFirst())"
    if isRequired || !target.isOptional {
      reject(isMissing.map { "NOT (\($0))" }, unlessDeclared: true) {
        "\(name) is new, and there are rows that have no value for it (\($0))"
      }
    }
    return NewMember(value: .null, presenceCondition: isWithin)
  }

  /// Whether an optional struct, the whole or a nested one, had values without being optional.
  private func wasPresent(_ place: Int) -> Bool {
    if targets[place].suffix.isEmpty { return true }
    let members = declaration.optionalMembers[place] ?? place..<place
    return members.contains { $0 != place && original?.columns[targets[$0].suffix] != nil }
  }

  private mutating func rejectMissing(_ value: String, _ target: Target, _ isMissing: String?) {
    let name = "\(name).\(target.suffix.dropFirst())"
    let present = isMissing.map { " AND NOT (\($0))" } ?? ""
    reject("\(value) IS NULL\(present)") { "\(name) is no longer optional, and there are rows without a value (\($0))" }
  }
}

extension _StoredValue {
  /// The value as an SQL literal.
  fileprivate var literal: String {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef")
      return "x'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
    }
    return switch self {
    case .null: "NULL"
    // The least integer has no literal of its own.
    case .integer(let number): number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
    case .real(let number): number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
    case .text(let text): "CAST(\(hex(text.utf8)) AS TEXT)"
    case .blob(let bytes): hex(bytes)
    }
  }
}
