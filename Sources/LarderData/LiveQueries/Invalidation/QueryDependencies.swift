import LarderSupport

/// The entities and properties that a query reads. A commit that changes none of them does not change the result.
package struct QueryDependencies: Sendable {
  /// An entity that is read, including its subclasses.
  package struct Model: Sendable {
    package let layout: _ModelLayout
    /// The properties whose changes matter, by ``_ModelLayout/bit(_:)``. Inserted and deleted rows always matter.
    package fileprivate(set) var mask: _PropertyMask
  }

  /// A column value that a row of the fetched entity needs, before a commit or after it, to be part of the result.
  package struct Equality: Sendable {
    package let column: Int
    package let value: _StoredValue
  }

  /// The fetched entity, followed by the entities that its predicate and its sort descriptors read.
  package private(set) var models: [Model]
  package private(set) var equality: Equality?

  /// - Parameters:
  ///   - plan: The plan of the predicate.
  ///   - section: The properties that divide the results into sections.
  ///   - followsValues: Whether every change of a result's properties matters, and not only the membership and the order.
  init(_ request: FetchRequest, _ plan: PredicatePlan?, section: _PropertyMask = 0, followsValues: Bool) throws {
    let order = request.sort?.mask ?? 0
    models = [Model(layout: request.layout, mask: followsValues ? ~0 : (plan?.mask ?? 0) | order | section)]
    equality = QueryDependencies.equality(request, plan)
    if let plan { add(plan.related, of: request.layout) }
    for sources in request.sort?.related ?? [] { add(sources, of: request.layout) }
  }

  /// Creates dependencies on all properties of the specified entities, or of all entities if there are none.
  init(everythingOf layouts: [_ModelLayout]) { models = layouts.map { Model(layout: $0, mask: ~0) } }

  /// Adds an entity that the title of a section reads.
  mutating func add(_ layout: _ModelLayout, mask: _PropertyMask) {
    if let place = models.firstIndex(where: { $0.layout === layout }) {
      models[place].mask |= mask
    } else {
      models.append(Model(layout: layout, mask: mask))
    }
    // An entity that is also read through a relationship may be affected by rows outside of the equality.
    if layout === models[0].layout { equality = nil }
  }

  mutating func add(_ sources: [RelatedSource], of root: _ModelLayout) {
    for source in sources {
      add(source.layout, mask: source.mask)
      guard let relationship = source.relationship else { continue }
      let owner = source.parent == 0 ? root : sources[source.parent - 1].layout
      if owner === models[0].layout { models[0].mask |= relationship.bit } else { add(owner, mask: relationship.bit) }
      // Either side of a many-to-many relationship may report a change of the join table.
      if let mirrored = relationship.inverse { add(source.layout, mask: mirrored.bit) }
    }
  }

  /// Returns an equality on an indexed column: few rows have the same value of it.
  private static func equality(_ request: FetchRequest, _ plan: PredicatePlan?) -> Equality? {
    guard let plan, let expression = request.expression, let equality = plan.equality,
      request.layout.isIndexed(equality.column),
      // The fetch reports a value that cannot be computed.
      let value = try? plan.equalityValue(expression)
    else { return nil }
    return Equality(column: equality.column, value: value)
  }
}

extension _ModelLayout {
  /// Returns whether the specified column is the first column of an index.
  fileprivate func isIndexed(_ column: Int) -> Bool {
    (uniqueGroups + indexGroups).contains { $0.first == column }
  }
}
