package import Foundation

/// The plans of predicates. Each context has a cache: only one thread uses it at a time.
///
/// The type of an expression contains most of its shape, and each `#Predicate` in the source keeps its type and its key
/// path objects, so a plan is found without walking the tree. A condition without any property has the same type for every
/// model, so the model is part of the cache key.
package final class PlanCache {
  /// 32: the plans kept for one type. Source code has a handful; only predicates whose key paths are created anew at each
  /// call have more, and those must not fill the memory.
  static let maximumPlansPerType = 32

  private struct Key: Hashable {
    let type: ObjectIdentifier
    let layout: Int
  }

  // Copied before a plan is compared, since this may call user code for a key path's subscript, and written
  // afterwards.
  @exclusivity(unchecked) private var last: (key: Key, plan: PredicatePlan)?
  private var plans: [Key: [PredicatePlan]] = [:]

  /// A change of a condition's SQL before it is used. Tests inject errors here, and check that they are detected.
  var rewriting: ((String) -> String)?

  package init() {}

  /// Returns the plan for an expression, created if there is none.
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
