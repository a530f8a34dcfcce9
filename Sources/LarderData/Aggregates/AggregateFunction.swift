/// A function of the rows of a group, as SQL and as the same computation in memory.
enum AggregateFunction: Hashable, Sendable {
  /// The number of rows.
  case rows
  /// The number of values that are not nil.
  case values
  /// The number of distinct values, nil not counted.
  case distinctValues
  case sum(_TotalKind)
  case average(_TotalKind)
  case minimum
  case maximum

  /// The number of result columns.
  var width: Int {
    switch self {
    // The sum, and the number of values.
    case .average(.real), .average(.decimal): 2
    default: 1
    }
  }

  /// Returns the function as SQL.
  ///
  /// - Parameters:
  ///   - column: The quoted name of the column; empty for ``rows``.
  ///   - ordered: The same with the collation that orders it.
  func sql(_ column: String, ordered: String) -> String {
    switch self {
    case .rows: "count(*)"
    case .values: "count(\(column))"
    case .distinctValues: "count(DISTINCT \(column))"
    case .sum(let kind): "\(AggregateFunction.total(kind))(\(column))"
    case .average(.integer): "larder_mean_integer(\(column))"
    case .average(let kind): "\(AggregateFunction.total(kind))(\(column)), count(\(column))"
    case .minimum: "min(\(ordered))"
    case .maximum: "max(\(ordered))"
    }
  }

  private static func total(_ kind: _TotalKind) -> String {
    switch kind {
    case .integer: "larder_total_integer"
    case .real: "larder_total_real"
    case .decimal: "larder_total_decimal"
    }
  }

  /// Returns an accumulator that computes the function in memory.
  func makeAccumulator(_ kind: ValueKind) -> any Accumulator {
    switch self {
    case .rows: RowCountAccumulator()
    case .values: ValueCountAccumulator()
    case .distinctValues: DistinctCountAccumulator()
    case .sum(.integer): IntegerSumAccumulator(isAverage: false)
    case .average(.integer): IntegerSumAccumulator(isAverage: true)
    case .sum(.real): RealSumAccumulator(withCount: false)
    case .average(.real): RealSumAccumulator(withCount: true)
    case .sum(.decimal): DecimalSumAccumulator(withCount: false)
    case .average(.decimal): DecimalSumAccumulator(withCount: true)
    case .minimum: ExtremumAccumulator(sign: -1, kind)
    case .maximum: ExtremumAccumulator(sign: 1, kind)
    }
  }
}
