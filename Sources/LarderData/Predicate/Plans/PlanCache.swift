package import Foundation

/// Finds the plan for a predicate. One for each context: it is used by one thread at a time.
///
/// The type of an expression says most of its shape, and each `#Predicate` in the source keeps its type and its key
/// path objects, so a plan is found without a walk over the tree. A condition that speaks of no property is of the same
/// type whatever the model, so the model is part of what a plan is found by.
package final class PlanCache {
  /// Plans kept for one type. The source has a handful; only predicates whose key paths are made anew at each call
  /// have more, and those must not fill the memory.
  static let maximumPlansPerType = 32

  private struct Key: Hashable {
    let type: ObjectIdentifier
    let layout: Int
  }

  // Copied out before a plan is compared, which may call what a user wrote for a key path's subscript, and written
  // afterwards.
  @exclusivity(unchecked) private var last: (key: Key, plan: PredicatePlan)?
  private var plans: [Key: [PredicatePlan]] = [:]

  /// What becomes of a condition's text before anybody asks it. Tests plant mistakes here, and see that they are found.
  var rewriting: ((String) -> String)?

  package init() {}

  /// The plan for an expression, made if there is none.
  package func plan(
    for expression: any StandardPredicateExpression<Bool>, _ layout: _ModelLayout,
    identifierResolver rows: @autoclosure () throws -> IdentifierResolver? = nil
  ) throws -> PredicatePlan {
    let key = Key(type: ObjectIdentifier(type(of: expression)), layout: layout.id)
    let known = ExpressionMemory.with(expression) { memory in cachedPlan(key, memory) }
    if let known { return known }
    let keys = try rows()
    let room = StackSpace.minimum + ExpressionMemory.size(of: expression) * StackSpace.perExpressionByte
    let plan = try StackSpace.with(atLeast: room) {
      try PredicatePlan(expression, layout, identifierResolver: keys, rewriting: rewriting)
    }
    guard plan.isReusable else { return plan }
    var others = plans[key] ?? []
    if others.count >= PlanCache.maximumPlansPerType { others.removeFirst() }
    plans[key] = others + [plan]
    last = (key, plan)
    return plan
  }

  private func cachedPlan(_ key: Key, _ memory: ExpressionMemory) -> PredicatePlan? {
    if let last, last.key == key, last.plan.fits(memory) { return last.plan }
    guard let others = plans[key],
      let plan = others.first(where: { $0.fits(memory) })
        ?? others.first(where: { $0.fits(memory, comparingKeyPaths: true) })
    else { return nil }
    last = (key, plan)
    return plan
  }
}
