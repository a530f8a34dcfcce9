public import Foundation

/// A fetch without its model's type, so that the code that runs it is compiled once and needs no look-up by type at each
/// call.
@usableFromInline
package struct FetchRequest {
  @usableFromInline package let layout: _ModelLayout
  /// The predicate's expression, if ``isConditional``. Not an optional, which would have to be copied to be inspected.
  @usableFromInline package let condition: any StandardPredicateExpression<Bool>
  @usableFromInline package let isConditional: Bool
  @usableFromInline package let sort: SortPlan?
  /// Whether a part of the order has no SQL.
  @usableFromInline let sortsInMemory: Bool
  @usableFromInline package let limit: Int?
  @usableFromInline package let offset: Int
  @usableFromInline package let includesPending: Bool
  /// The indexes of the relationships to load together with the rows.
  @usableFromInline package let prefetchedRelations: [Int]

  @inlinable
  package init<Model: PersistentModel>(_ descriptor: borrowing FetchDescriptor<Model>) throws {
    layout = Model._$layout
    if let expression = descriptor.expression {
      condition = expression
      isConditional = true
    } else {
      condition = FetchRequest.unconditional
      isConditional = false
    }
    sort = descriptor.sortBy.isEmpty ? nil : try FetchRequest.sortPlan(descriptor.sortBy, Model._$layout)
    sortsInMemory = sort?.sortsInMemory ?? false
    limit = descriptor.fetchLimit
    offset = descriptor.fetchOffset ?? 0
    includesPending = descriptor.includePendingChanges
    prefetchedRelations =
      descriptor.relationshipKeyPathsForPrefetching.isEmpty
      ? [] : FetchRequest.relationships(descriptor.relationshipKeyPathsForPrefetching, Model._$layout)
    if (limit ?? 0) < 0 || offset < 0 { throw FetchRequest.negativeBoundsError(layout, limit, offset) }
  }

  private init(unordered request: FetchRequest) {
    layout = request.layout
    condition = request.condition
    isConditional = request.isConditional
    sort = nil
    sortsInMemory = false
    limit = nil
    offset = 0
    includesPending = request.includesPending
    prefetchedRelations = []
  }

  /// The same request without order, limit and offset.
  var unordered: FetchRequest { FetchRequest(unordered: self) }

  /// The predicate's expression; nil for all models.
  package var expression: (any StandardPredicateExpression<Bool>)? { isConditional ? condition : nil }

  @usableFromInline
  static let unconditional: any StandardPredicateExpression<Bool> = PredicateExpressions.build_Arg(true)

  @usableFromInline
  static func sortPlan<Model: PersistentModel>(
    _ descriptors: [SortDescriptor<Model>], _ layout: _ModelLayout
  ) throws -> SortPlan { try SortPlan(descriptors, layout: layout) }

  /// Returns the relationships among the key paths. Attributes are read with their rows anyway.
  @usableFromInline
  static func relationships<Model: PersistentModel>(
    _ keyPaths: [PartialKeyPath<Model>], _ layout: _ModelLayout
  ) -> [Int] {
    keyPaths.compactMap { layout.property($0) }.filter { $0.relationship != nil }.map(\.index)
  }

  @usableFromInline
  static func negativeBoundsError(_ layout: _ModelLayout, _ limit: Int?, _ offset: Int) -> FetchError {
    let what = offset < 0 ? "fetchOffset is \(offset)" : "fetchLimit is \(limit ?? 0)"
    return FetchError(
      .invalidDescriptor, entityName: layout.entityName,
      "The fetch of \(layout.entityName) cannot run: \(what). Give 0 or more, or nil for no limit.")
  }

  var isLimited: Bool { limit != nil || offset > 0 }
}
