import LarderSupport

/// What a query reads: a commit that changes none of it leaves the answer as it is.
package struct QueryDependencies: Sendable {
  /// A model that is read, with those that inherit from it.
  package struct Model: Sendable {
    package let layout: _ModelLayout
    /// The properties whose changes matter, by ``_ModelLayout/bit(_:)``. Rows that come and go always do.
    package fileprivate(set) var mask: _PropertyMask
  }

  /// What rows must have in one of the fetched model's columns to be part of the answer, before a commit or after it.
  package struct Equality: Sendable {
    package let column: Int
    package let value: _StoredValue
  }

  /// The fetched model first, then those that its predicate and its order reach.
  package private(set) var models: [Model]
  package private(set) var equality: Equality?

  /// - Parameters:
  ///   - plan: The predicate's.
  ///   - section: The properties by which results are divided.
  ///   - followsValues: Whether the answer tells of every change of what is in it, not only of who is in it and where.
  init(_ request: FetchRequest, _ plan: PredicatePlan?, section: _PropertyMask = 0, followsValues: Bool) throws {
    let order = request.sort?.mask ?? 0
    models = [Model(layout: request.layout, mask: followsValues ? ~0 : (plan?.mask ?? 0) | order | section)]
    equality = QueryDependencies.equality(request, plan)
    if let plan { add(plan.related, of: request.layout) }
    for sources in request.sort?.related ?? [] { add(sources, of: request.layout) }
  }

  /// Everything of some models; of all where there are none.
  init(everythingOf layouts: [_ModelLayout]) { models = layouts.map { Model(layout: $0, mask: ~0) } }

  /// Adds a model that a section's title is read of.
  mutating func add(_ layout: _ModelLayout, mask: _PropertyMask) {
    if let place = models.firstIndex(where: { $0.layout === layout }) {
      models[place].mask |= mask
    } else {
      models.append(Model(layout: layout, mask: mask))
    }
    // What is reached from elsewhere may concern rows that the equality does not name.
    if layout === models[0].layout { equality = nil }
  }

  mutating func add(_ sources: [RelatedSource], of root: _ModelLayout) {
    for source in sources {
      add(source.layout, mask: source.mask)
      guard let relationship = source.relationship else { continue }
      let owner = source.parent == 0 ? root : sources[source.parent - 1].layout
      if owner === models[0].layout { models[0].mask |= relationship.bit } else { add(owner, mask: relationship.bit) }
      // Of pairs in a table of their own either end may tell.
      if let mirrored = relationship.inverse { add(source.layout, mask: mirrored.bit) }
    }
  }

  /// An equality that an index answers: few rows have one value of it.
  private static func equality(_ request: FetchRequest, _ plan: PredicatePlan?) -> Equality? {
    guard let plan, let expression = request.expression, let equality = plan.equality,
      request.layout.isIndexed(equality.column),
      // A value that cannot be computed is the fetch's to tell.
      let value = try? plan.equalityValue(expression)
    else { return nil }
    return Equality(column: equality.column, value: value)
  }
}

extension _ModelLayout {
  /// Whether an index begins with a column.
  fileprivate func isIndexed(_ column: Int) -> Bool {
    (uniqueGroups + indexGroups).contains { $0.first == column }
  }
}
