/// The changes that ``ModelContext/updateAndSave(_:where:changes:)`` makes to each model that matches.
///
/// ```swift
/// try context.updateAndSave(Quake.self, where: #Predicate { $0.magnitude < 0 }) {
///   $0.set(\.magnitude, to: 0)
///   $0.add(1, to: \.revision)
/// }
/// ```
///
/// Changes of the same property are applied in order: the result of a `set` and then an `add` is their sum. The new value of
/// one property never depends on the new value of another: each expression reads the row as it was before the update.
public struct BatchUpdate<Model: PersistentModel> {
  let layout = Model._$layout
  /// The SQL expression of each column's new value, by the column's index in the layout.
  private(set) var columns: [Int: Expression] = [:]
  /// The values of the expressions' parameters, in order.
  private(set) var values: [_StoredValue] = []
  /// Whether each new value is known in advance, so that rows that have it already can be skipped.
  private(set) var isConstant = true
  /// The error of the first change that cannot be made.
  private(set) var problem: (any Error)?

  /// An SQL expression whose parameters are not numbered yet.
  indirect enum Expression {
    case value(Int)
    case add(Expression?, Int, ValueKind, isOptional: Bool)
  }

  init() {}

  /// Sets a property, or a member of a composite, to a value.
  ///
  /// - Parameters:
  ///   - keyPath: The property, or the member of a composite.
  ///   - value: The new value, the same for each row.
  public mutating func set<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value) {
    recordingProblem { update in
      let column = try update.column(keyPath)
      guard let codec = column.codec as? _PropertyCodec<Value> else { return }
      let stored = StoredColumns(update.layout) { codec.write(value, to: &$0) }
      if let problem = stored.problem {
        throw SaveError(
          .unstorableValue, entityName: update.layout.entityName, properties: [column.name],
          "\(column.name) cannot be set: \(problem.reason). Give it another value. Nothing was written.")
      }
      for (place, stored) in zip(column.columns, stored.values) {
        update.values.append(stored)
        update.columns[place] = .value(update.values.count - 1)
      }
    }
  }

  /// Adds an amount to a number. A `nil` stays `nil`. A sum that the property's type cannot represent is an error.
  ///
  /// - Parameters:
  ///   - amount: The number to add; a negative number subtracts.
  ///   - keyPath: The property, or the member of a composite.
  public mutating func add<Number: SummableValue>(
    _ amount: Number, to keyPath: ReferenceWritableKeyPath<Model, Number>
  ) { addAmount(amount, keyPath, isOptional: false) }

  /// Adds an amount to an optional number. A `nil` stays `nil`. A sum that the property's type cannot represent is an error.
  ///
  /// - Parameters:
  ///   - amount: The number to add; a negative number subtracts.
  ///   - keyPath: The property, or the member of a composite.
  public mutating func add<Number: SummableValue>(
    _ amount: Number, to keyPath: ReferenceWritableKeyPath<Model, Number?>
  ) { addAmount(amount, keyPath, isOptional: true) }

  private mutating func addAmount<Number: SummableValue>(
    _ amount: Number, _ keyPath: PartialKeyPath<Model>, isOptional: Bool
  ) {
    recordingProblem { update in
      let column = try update.column(keyPath)
      guard let place = column.columns.first, let kind = column.orderKind else { return }
      do throws(_UnstorableValue) {
        update.values.append(try amount._stored())
      } catch {
        throw SaveError(
          .unstorableValue, entityName: update.layout.entityName, properties: [column.name],
          "Nothing can be added to \(column.name): \(error.reason). Give another amount. Nothing was written.")
      }
      update.columns[place] = .add(update.columns[place], update.values.count - 1, kind, isOptional: isOptional)
      update.isConstant = false
    }
  }

  /// Stores the first error, so that a change needs no `try` of its own: the update throws the stored error.
  private mutating func recordingProblem(_ change: (inout BatchUpdate) throws -> Void) {
    guard problem == nil else { return }
    do { try change(&self) } catch { problem = error }
  }

  private func column(_ keyPath: PartialKeyPath<Model>) throws -> AggregateColumn {
    try AggregateColumn.find(keyPath, layout, for: .update)
  }
}

extension BatchUpdate.Expression {
  /// Returns the expression as SQL.
  ///
  /// - Parameters:
  ///   - column: The quoted name of the column.
  ///   - first: The number of the first parameter.
  func sql(_ column: String, from first: Int) -> String {
    switch self {
    case .value(let index): return "?\(first + index)"
    case .add(let other, let index, let kind, let isOptional):
      let left = other?.sql(column, from: first) ?? column
      let amount = "?\(first + index)"
      if kind == .decimal { return "larder_add_decimal(\(left), \(amount))" }
      let sum = SQLiteDialect().arithmetic(.add, left, amount, kind)
      guard kind.isReal else { return sum }
      // NULL here stands for NaN: infinities of both signs were added.
      let checked = SQLiteDialect().unwrap(sum)
      return isOptional ? "CASE WHEN \(left) IS NOT NULL THEN \(checked) END" : checked
    }
  }
}
