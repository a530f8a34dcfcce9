/// The functions of a list of aggregates, without the types of their values.
struct AggregateParts<Model: PersistentModel> {
  private(set) var functions: [(AggregateFunction, PartialKeyPath<Model>?)] = []

  init<each Value>(_ aggregates: repeat Aggregate<Model, each Value>) {
    for aggregate in repeat each aggregates { functions.append((aggregate.function, aggregate.keyPath)) }
  }
}

/// Takes the values of one group out of its row, from left to right.
struct AggregateReader<Model: PersistentModel> {
  private let query: AggregateQuery<Model>
  private var rest: ArraySlice<StoredValue>
  private var key = 0
  private var part = 0

  init(_ query: AggregateQuery<Model>, row: [StoredValue]) {
    self.query = query
    rest = row[...]
  }

  mutating func nextKey<Key>(_ type: Key.Type) throws -> Key {
    let column = query.keys[key]
    key += 1
    let values = rest.prefix(column.columns.count)
    rest = rest.dropFirst(column.columns.count)
    return try column.value(values, query.layout, type)
  }

  mutating func next<Value>(_ aggregate: Aggregate<Model, Value>) throws -> Value {
    let values = rest.prefix(aggregate.function.width)
    rest = rest.dropFirst(aggregate.function.width)
    let reading = AggregateReading(layout: query.layout, column: query.column(of: part))
    part += 1
    return try aggregate.value(values, reading)
  }
}
