import Foundation

/// One sort descriptor: a column, a way to compare its values, and a direction.
struct SortKey {
  enum Comparison {
    case stored
    case decimal
    case localized(LocalizedOrder)
  }

  /// The column's index in the layout of the model, or of the related model.
  let column: Int
  /// The path to the related model, if the column belongs to one.
  let related: RelatedKeyPath?
  /// The accessor that reads the value from objects, if there is no column.
  let accessor: RequirementAccessor?
  let comparison: Comparison
  let isReverse: Bool

  init<Model>(_ descriptor: SortDescriptor<Model>, _ layout: _ModelLayout) throws {
    guard let keyPath = descriptor.keyPath else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "A sort descriptor without a key path can't be done by the store. Sort by a stored property, or sort what the "
          + "fetch returns.")
    }
    isReverse = descriptor.order == .reverse
    let isPlain = ValueTypes.unwrapped(type(of: keyPath).valueType) == LocalizedText.self
    if let related = RelatedKeyPath(keyPath, from: layout, isComputed: isPlain) {
      self.related = related
      accessor = nil
      column = related.column
      comparison =
        isPlain
        ? .localized(.plain) : try SortKey.comparison(descriptor, keyPath, layout, related.layout.columns[column])
      return
    }
    related = nil
    let places = isPlain ? SortKey.columns(under: keyPath, layout) : SortKey.columns(of: keyPath, layout)
    guard let places, places.count == 1, let place = places.first else {
      if let asked = RequirementAccessor(keyPath, layout) {
        self.accessor = asked
        column = 0
        comparison = try SortKey.comparison(descriptor, keyPath, layout, asked)
        return
      }
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "\(ReadableKeyPath.text(keyPath, layout)) can't be sorted by: it isn't one column of \(layout.entityName). "
          + "Sort by a stored property of a plain type, or by a member of a composite; or sort what the fetch returns.")
    }
    accessor = nil
    column = place
    comparison =
      isPlain
      ? .localized(.plain) : try SortKey.comparison(descriptor, keyPath, layout, layout.columns[place])
  }

  private static func columns(of keyPath: AnyKeyPath, _ layout: _ModelLayout) -> Range<Int>? {
    layout.property(keyPath)?.columns ?? KeyPathColumns(layout.properties)[keyPath]
      ?? ReadableKeyPath.columnsThroughOptional(keyPath, layout)
  }

  /// Returns the column whose value a key path compares in another order.
  private static func columns(under keyPath: AnyKeyPath, _ layout: _ModelLayout) -> Range<Int>? {
    KeyPathColumns(layout.properties).first { LocalizedText.isComponent(appendedTo: $0, in: keyPath) }
      ?? ReadableKeyPath.columnsThroughOptional(keyPath, layout, isComputed: true)
  }

  private static func comparison<Model>(
    _ descriptor: SortDescriptor<Model>, _ keyPath: PartialKeyPath<Model>, _ layout: _ModelLayout,
    _ column: ColumnLayout
  ) throws -> Comparison {
    try comparison(descriptor, keyPath, layout, order: column.order, form: column.form)
  }

  private static func comparison<Model>(
    _ descriptor: SortDescriptor<Model>, _ keyPath: PartialKeyPath<Model>, _ layout: _ModelLayout,
    _ asked: RequirementAccessor
  ) throws -> Comparison {
    let columns = asked.codec.columns
    let form = columns.count == 1 ? columns[0].form : .json
    return try comparison(descriptor, keyPath, layout, order: columns.first?.order ?? .natural, form: form)
  }

  private static func comparison<Model>(
    _ descriptor: SortDescriptor<Model>, _ keyPath: PartialKeyPath<Model>, _ layout: _ModelLayout, order: ColumnOrder,
    form: ColumnForm
  ) throws -> Comparison {
    if order == .decimal { return .decimal }
    guard let kind = ValueKind.of(type(of: keyPath).valueType), form == .value, kind.isOrdered || kind == .bool else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "\(ReadableKeyPath.text(keyPath, layout)) can't be sorted by: the order of what is stored needn't be that of "
          + "its type. Sort by a stored raw value, or sort what the fetch returns.")
    }
    guard kind == .text else { return .stored }
    // The key path of a String alone means localizedStandard, as on Apple's platforms.
    guard var comparator = descriptor.stringComparator else { return .localized(.standard) }
    comparator.order = .forward
    if comparator == .lexical { return .stored }
    #if canImport(Darwin)
      if comparator == .localized { return .localized(.plain) }
    #endif
    return .localized(.standard)
  }

  /// Returns the term of the ORDER BY clause.
  ///
  /// - Parameter isJoined: Whether the statement joins tables. Then other tables may have a column of the same name, and the
  ///   plus sign keeps SQLite from scanning all rows in the order of an index.
  func sql(_ dialect: some SQLDialect, _ layout: _ModelLayout, isJoined: Bool = false) -> String {
    let name: String
    if let related {
      name = related.sql(dialect)
    } else {
      let own = dialect.identifier(layout.columns[column].name)
      name = isJoined ? "+\(dialect.identifier(layout.entityName)).\(own)" : own
    }
    let collation =
      switch comparison {
      case .stored: ""
      case .decimal: dialect.collation(.decimal)
      case .localized(let order): dialect.collation(.localized(order))
      }
    return name + collation + (isReverse ? " DESC" : "")
  }

  func sign(_ left: _StoredValue, _ right: _StoredValue) -> Int {
    let sign =
      switch (left, right, comparison) {
      case (.null, .null, _): 0
      case (.null, _, _): -1
      case (_, .null, _): 1
      case (.text(let a), .text(let b), .localized(let order)): order.sign(a, b)
      case (_, _, .decimal): StoredOrder.sign(left, right, .decimal) ?? 0
      default: StoredOrder.sign(left, right, .text) ?? 0
      }
    return isReverse ? -sign : sign
  }
}
