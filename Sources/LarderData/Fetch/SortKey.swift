import Foundation

/// One sort descriptor: a column, a way to compare its values, and a direction.
struct SortKey {
  enum Comparison {
    case stored
    case decimal
    case localized(LocalizedOrder)
  }

  let column: Int
  let comparison: Comparison
  let isReverse: Bool

  init<Model>(_ descriptor: SortDescriptor<Model>, _ layout: ModelLayout) throws {
    guard let keyPath = descriptor.keyPath else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "A sort descriptor without a key path can't be done by the store. Sort by a stored property, or sort what the "
          + "fetch returns.")
    }
    guard let places = layout.property(keyPath)?.columns ?? ColumnPlaces(layout.properties)[keyPath],
      places.count == 1, let place = places.first
    else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "\(keyPath) can't be sorted by: it isn't one column of \(layout.entityName). Sort by a stored property of a "
          + "plain type, or by a member of a composite; or sort what the fetch returns.")
    }
    column = place
    isReverse = descriptor.order == .reverse
    comparison = try SortKey.comparison(descriptor, keyPath, layout.columns[place])
  }

  private static func comparison<Model>(
    _ descriptor: SortDescriptor<Model>, _ keyPath: PartialKeyPath<Model>, _ column: ColumnLayout
  ) throws -> Comparison {
    let kind = ValueKind.of(type(of: keyPath).valueType)
    if column.order == .decimal { return .decimal }
    guard let kind, column.form == .value else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "\(keyPath) can't be sorted by: the store keeps its type in a form whose order isn't that of the type. Give "
          + "the type a raw value and store that, or sort what the fetch returns.")
    }
    guard kind == .text else {
      guard kind.isOrdered || kind == .bool else {
        throw SwiftDataError.unsupportedSortDescriptor.explained(
          "\(keyPath) can't be sorted by: the order of what is stored needn't be that of the type. Sort by a stored "
            + "raw value, or sort what the fetch returns.")
      }
      return .stored
    }
    switch SortComparatorKind.of(descriptor) {
    case .lexical: return .stored
    case .localized(let order): return .localized(order)
    case .unknown(let name):
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "\(keyPath) can't be sorted with \(name): the store doesn't know it. Use .localizedStandard, .localized or "
          + ".lexical, or sort what the fetch returns.")
    }
  }

  func sql(_ dialect: some SQLDialect, _ layout: ModelLayout) -> String {
    let name = dialect.identifier(layout.columns[column].name)
    let collation =
      switch comparison {
      case .stored: ""
      case .decimal: dialect.collation(.decimal)
      case .localized(let order): dialect.collation(.localized(order))
      }
    return name + collation + (isReverse ? " DESC" : "")
  }

  func sign(_ left: StoredValue, _ right: StoredValue) -> Int {
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
