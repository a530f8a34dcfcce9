import Foundation
import LarderSQLite
import LarderSupport

/// The columns of a key path, and the conversion of their values to the key path's value.
final class AggregateColumn {
  let columns: Range<Int>
  let codec: _AnyPropertyCodec
  /// The order of the values, if there is one column; nil for several, or where the stored order differs from the type's.
  let orderKind: ValueKind?
  private let keyPath: AnyKeyPath
  private let layout: _ModelLayout
  /// The key path as in source code, for errors. The name of a computed property is looked up in the program's file.
  var name: String { ReadableKeyPath.text(keyPath, layout) }
  /// The properties that are read, by ``_ModelLayout/bit(_:)``.
  let mask: _PropertyMask
  /// The accessor that reads the value from objects, if there is no column.
  let accessor: RequirementAccessor?
  /// Whether the value is stored as JSON, so that SQL cannot compute with it.
  private let isJSON: Bool
  /// Whether this is a member of an optional composite, which may be nil.
  private let isThroughOptional: Bool

  enum Use {
    case aggregate, update
  }

  private init(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) throws {
    self.keyPath = keyPath
    self.layout = layout
    let type = Swift.type(of: keyPath).valueType
    let property = layout.property(keyPath)
    if property?.relationship != nil {
      throw AggregateColumn.unsupported(
        keyPath, layout, "it is a relationship. Name an attribute, or fetch the models and look at them in Swift")
    }
    let whole = property?.columns ?? KeyPathColumns(layout.properties)[keyPath]
    let places = whole ?? ReadableKeyPath.columnsThroughOptional(keyPath, layout)
    let codec = property?.codec ?? _AnyPropertyCodec.makeCodec(for: type)
    if places == nil, let asked = RequirementAccessor(keyPath, layout) {
      self.accessor = asked
      self.codec = asked.codec
      columns = 0..<asked.codec.columns.count
      (isJSON, isThroughOptional, mask) = (asked.codec.columns.contains { $0.form == .json }, false, ~0)
      orderKind = AggregateColumn.order(type, columns)
      return
    }
    accessor = nil
    guard let places, !places.isEmpty, let codec, codec.columns.count == places.count else {
      throw AggregateColumn.unsupported(
        keyPath, layout,
        "it is no stored property of \(layout.entityName) and no member of a composite. Name one of them")
    }
    isJSON = places.contains { layout.columns[$0].form == .json }
    isThroughOptional = whole == nil
    columns = places
    self.codec = codec
    mask = places.reduce(0) { $0 | _ModelLayout.bit(layout.columns[$1].property) }
    orderKind = AggregateColumn.order(type, places)
  }

  private static func order(_ type: any Any.Type, _ places: Range<Int>) -> ValueKind? {
    let kind = places.count == 1 ? ValueKind.of(type) : nil
    return kind.flatMap { $0.isOrdered ? $0 : nil }
  }

  private static func unsupported(_ keyPath: AnyKeyPath, _ layout: _ModelLayout, _ reason: String) -> FetchError {
    FetchError(
      .invalidAggregate, entityName: layout.entityName,
      "\(ReadableKeyPath.text(keyPath, layout)) cannot be used by the store here: \(reason).")
  }

  /// Throws if there are several columns. Only groups can be formed by several.
  func requireOneColumn(_ layout: _ModelLayout) throws {
    if columns.count == 1 { return }
    throw AggregateColumn.unsupported(keyPath, layout, "it is several columns. Name a member, such as \(name).name")
  }

  /// Returns the kind of the one column; throws if the store does not order it as Swift does.
  func requireOrder(_ layout: _ModelLayout) throws -> ValueKind {
    guard let orderKind else {
      throw AggregateColumn.unsupported(
        keyPath, layout,
        "the order of what is stored needn't be that of its type. Fetch the models, and compare in Swift")
    }
    return orderKind
  }

  // MARK: SQL

  func names(_ layout: _ModelLayout) -> [String] { columns.map { StoreFormat.quoted(layout.columns[$0].name) } }

  /// Returns the column names with the collations that order them.
  func orderedNames(_ layout: _ModelLayout) -> [String] {
    columns.map { place in
      let column = layout.columns[place]
      return StoreFormat.quoted(column.name) + (column.order == .decimal ? SQLiteDialect().collation(.decimal) : "")
    }
  }

  // MARK: Values

  /// Returns the order of each column.
  func orders(_ layout: _ModelLayout) -> [ColumnOrder] {
    accessor?.codec.columns.map(\.order) ?? columns.map { layout.columns[$0].order }
  }

  /// Returns the value that stored values represent.
  func value<Value>(_ stored: ArraySlice<_StoredValue>, _ layout: _ModelLayout, _ type: Value.Type) throws -> Value {
    let problems = _RowProblems()
    let reader = _RowReader(source: _RowSource(stored), layout: layout, problems: problems)
    guard let codec = codec as? _PropertyCodec<Value>, let value = codec.read(reader, 0), problems.first == nil else {
      throw FetchError(
        .unreadableValue, entityName: layout.entityName,
        "A value of \(name) cannot be read: \(problems.first ?? "it is no \(Value.self)"). Correct the row, or let the "
          + "property's type accept it.")
    }
    return value
  }

  // MARK: Cached columns

  private struct CacheKey: Hashable {
    let layout: Int
    let keyPath: AnyKeyPath
  }

  // A program's source has a fixed number of key paths, so this cache stays bounded.
  private static let cache = Locked<[CacheKey: CacheEntry]>([:])

  /// @unchecked: cached entries never change.
  private struct CacheEntry: @unchecked Sendable {
    let column: AggregateColumn
  }

  static func find(_ keyPath: AnyKeyPath, _ layout: _ModelLayout, for use: Use) throws -> AggregateColumn {
    let column = try find(keyPath, layout)
    switch use {
    case .aggregate where column.isJSON:
      throw unsupported(keyPath, layout, "it is JSON there. Fetch the models, and reduce them in Swift")
    case .update where column.accessor != nil:
      throw FetchError(
        .invalidAggregate, entityName: layout.entityName, RequirementKeyPath.advice(keyPath, layout, "%"))
    case .update where column.isThroughOptional:
      throw unsupported(keyPath, layout, "there may be nothing to be a member of. Set the whole property")
    default: return column
    }
  }

  private static func find(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) throws -> AggregateColumn {
    let key = CacheKey(layout: layout.id, keyPath: keyPath)
    if let known = cache.withLock({ $0[key] }) { return known.column }
    let made = CacheEntry(column: try AggregateColumn(keyPath, layout))
    // Key paths of two requirements may be equal.
    if made.column.accessor != nil { return made.column }
    cache.withLock { $0[key] = made }
    return made.column
  }
}
