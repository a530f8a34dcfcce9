/// What is computed of the rows of a group, as SQL and as the same in memory.
enum AggregateFunction: Hashable, Sendable {
  /// How many rows there are.
  case rows
  /// How many values are not nil.
  case values
  /// How many different values there are, nil not counted.
  case distinctValues
  case sum(_TotalKind)
  case average(_TotalKind)
  case minimum
  case maximum

  /// How many columns of the answer it takes.
  var width: Int {
    switch self {
    // The sum, and of how many values.
    case .average(.real), .average(.decimal): 2
    default: 1
    }
  }

  /// - Parameters:
  ///   - column: The column's name, quoted; empty for ``rows``.
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

  /// What adds up values in memory.
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
