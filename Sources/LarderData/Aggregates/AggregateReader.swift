/// The functions of a list of aggregates, without the types of their values.
struct AggregateFunctionList<Model: PersistentModel> {
  private(set) var functions: [(AggregateFunction, PartialKeyPath<Model>?)] = []

  init<each Value>(_ aggregates: repeat Aggregate<Model, each Value>) {
    for aggregate in repeat each aggregates { functions.append((aggregate.function, aggregate.keyPath)) }
  }
}

/// A reader of one group's values from its row, from left to right.
struct AggregateReader<Model: PersistentModel> {
  private let query: AggregateQuery<Model>
  private var remaining: ArraySlice<_StoredValue>
  private var keyIndex = 0
  private var aggregateIndex = 0

  init(_ query: AggregateQuery<Model>, row: [_StoredValue]) {
    self.query = query
    remaining = row[...]
  }

  mutating func nextKey<Key>(_ type: Key.Type) throws -> Key {
    let column = query.keys[keyIndex]
    keyIndex += 1
    let values = remaining.prefix(column.columns.count)
    remaining = remaining.dropFirst(column.columns.count)
    return try column.value(values, query.layout, type)
  }

  mutating func next<Value>(_ aggregate: Aggregate<Model, Value>) throws -> Value {
    let values = remaining.prefix(aggregate.function.width)
    remaining = remaining.dropFirst(aggregate.function.width)
    let reading = AggregateReading(layout: query.layout, column: query.column(of: aggregateIndex))
    aggregateIndex += 1
    return try aggregate.value(values, reading)
  }
}
