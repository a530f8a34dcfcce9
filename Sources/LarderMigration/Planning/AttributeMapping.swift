import LarderData
import LarderSQLite
import LarderSupport

/// The source of the columns of one attribute.
struct AttributeMapping {
  /// The expressions, in the order of the columns.
  var expressions: [String] = []
  var checks: [RowCheck] = []
  private(set) var problem: String?

  /// A column to be filled.
  struct Target {
    /// The part of the column's name after the property's name.
    let suffix: String
    let form: ValueConversion.Form
    let isOptional: Bool
    /// The column itself, if the value is in the row.
    var column: TableDefinition.Column?
  }

  let name: String
  let declaration: PropertyDeclaration
  let original: StoredProperty?
  let targets: [Target]
  let defaults: [_StoredValue]?
  private let names: TemporaryTableNames
  /// Returns the rows as a query's source for checks: `Trip AS f WHERE …`.
  let rows: (_ condition: String?) -> String

  /// - Parameter name: The name of the class and the property.
  init(
    _ name: String, _ facts: PropertyDeclaration, targets: [Target], original former: StoredProperty?,
    _ names: TemporaryTableNames, into source: inout RowExpressions, rows: @escaping (String?) -> String
  ) {
    self.name = name
    self.declaration = facts
    self.original = former
    self.targets = targets
    defaults = facts.defaults?.count == targets.count ? facts.defaults : nil
    self.names = names
    self.rows = rows
    if let former { mapOriginal(former, &source) } else { mapDefault(&source) }
  }

  private mutating func mapDefault(_ source: inout RowExpressions) {
    if let defaults {
      expressions = defaults.map { source.value($0) }
    } else {
      expressions = targets.map { _ in "NULL" }
      let name = name
      reject(nil, unlessDeclared: true) {
        "\(name) is new, and there are rows that have no value for it (\($0)). Let it be optional, or give it a default in "
          + "its declaration"
      }
    }
  }

  private mutating func mapOriginal(_ former: StoredProperty, _ source: inout RowExpressions) {
    if former.relationship != nil {
      problem = "\(name) is a value, and was a relationship"
      return
    }
    let becomesWhole = targets.count == 1 && targets[0].suffix.isEmpty
    guard former.isSingleColumn == becomesWhole else {
      problem = "\(name) has another shape than it had: a value in one column, and one in several"
      return
    }
    if former.isSingleColumn { mapSingleColumn(former, &source) } else { mapMembers(former, &source) }
  }

  // MARK: A value in one column

  private mutating func mapSingleColumn(_ former: StoredProperty, _ source: inout RowExpressions) {
    let old: ValueConversion.Form
    let value: String
    if let external = former.external {
      old = .init(type: external.type, valueType: external.valueType, form: external.form)
      value =
        "(SELECT \(ExternalTable.valueColumn) FROM \(StoreFormat.quoted(names[external.name])) "
        + "WHERE \(ExternalTable.rowColumn) = f.\(StoreFormat.identifierColumn))"
    } else if let column = former.columns[""] {
      old = .init(type: column.type, valueType: column.valueType, form: column.form)
      value = "f.\(StoreFormat.quoted(column.name))"
    } else {
      return
    }
    guard let converted = convert(old, value, to: targets[0]) else { return }
    if ValueConversion.requiresDecoding(from: old, to: targets[0].form) { requireReadable(old, value) }
    guard former.isOptional, !declaration.isOptional else {
      expressions = [converted]
      return
    }
    expressions = [orDefault(converted, defaults?.first, "\(value) IS NULL", &source)]
  }

  mutating func convert(_ old: ValueConversion.Form, _ value: String, to target: Target) -> String? {
    guard let conversion = ValueConversion(from: old, to: target.form) else {
      problem =
        "\(name)\(target.suffix.isEmpty ? "" : " (\(target.suffix.dropFirst()))") was \(old.valueType) "
        + "(\(old.type.rawValue)) and is \(target.form.valueType) (\(target.form.type.rawValue))"
      return nil
    }
    if let loses = conversion.lossCondition {
      let name = name
      reject(loses(value)) {
        "\(name) was \(old.valueType) and is \(target.form.valueType), and there are values that this can't hold (in \($0.pluralized("row")))"
      }
    }
    return conversion.expression(value)
  }

  /// Returns an expression for a value that may be missing but is now required, with the default for missing values.
  mutating func orDefault(
    _ value: String, _ given: _StoredValue?, _ isMissing: String, _ source: inout RowExpressions
  ) -> String {
    if let given, given != .null { return "CASE WHEN \(isMissing) THEN \(source.value(given)) ELSE \(value) END" }
    let name = name
    if given == nil {
      reject(isMissing, unlessDeclared: true) {
        "\(name) is no longer optional, and there are rows without a value (\($0)). Give them one, or the property a default in its "
          + "declaration"
      }
    }
    return value
  }

  /// Adds a check for a type of the program's own, for which only decoding shows whether it can represent the stored
  /// values.
  private mutating func requireReadable(_ old: ValueConversion.Form, _ value: String) {
    let (name, now) = (name, targets[0].form.valueType)
    let values = "SELECT DISTINCT \(value) FROM \(rows("(\(value)) IS NOT NULL"))"
    guard declaration.isCertain else {
      return checks.append(
        RowCheck(count: "SELECT count(*) FROM (\(values))", isDefinite: false) {
          "\(name) was \(old.valueType) and is \(now), and of the values that there are (\($0)) some may not be readable as "
            + "that"
        })
    }
    checks.append(
      RowCheck(values: values, isReadable: declaration.canRead) {
        "\(name) was \(old.valueType) and is \(now), and \($0) of the values that there are can't be read as that"
      })
  }

  /// Adds a check that fails for rows that satisfy a condition.
  ///
  /// - Parameter unlessDeclared: Whether the property's declaration may provide a value for these rows.
  mutating func reject(
    _ condition: String?, unlessDeclared: Bool = false, _ sentence: @escaping (Int64) -> String
  ) {
    checks.append(
      RowCheck(
        count: "SELECT count(*) FROM \(rows(condition))", isDefinite: declaration.isCertain || !unlessDeclared,
        sentence: sentence))
  }
}
