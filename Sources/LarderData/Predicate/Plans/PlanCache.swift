package import Foundation

/// Finds the plan for a predicate. One for each context: it is used by one thread at a time.
///
/// The type of an expression says most of its shape, and each `#Predicate` in the source keeps its type and its key
/// path objects, so a plan is found without a walk over the tree.
package final class PlanCache {
  /// Plans kept for one type. The source has a handful; only predicates whose key paths are made anew at each call
  /// have more, and those must not fill the memory.
  static let plansPerType = 32

  private var last: (type: ObjectIdentifier, plan: PredicatePlan)?
  private var plans: [ObjectIdentifier: [PredicatePlan]] = [:]

  /// What becomes of a condition's text before anybody asks it. Tests plant mistakes here, and see that they are found.
  var rewriting: ((String) -> String)?

  package init() {}

  /// The plan for an expression, made if there is none.
  package func find(
    _ expression: any StandardPredicateExpression<Bool>, _ layout: ModelLayout, rows: RowKeys? = nil
  ) throws -> PredicatePlan {
    let type = ObjectIdentifier(Swift.type(of: expression))
    let known = ExpressionMemory.with(expression) { memory in find(type, memory) }
    if let known { return known }
    let plan = try PredicatePlan(expression, layout, rows: rows, rewriting: rewriting)
    guard plan.isReusable else { return plan }
    var others = plans[type] ?? []
    if others.count >= PlanCache.plansPerType { others.removeFirst() }
    plans[type] = others + [plan]
    last = (type, plan)
    return plan
  }

  private func find(_ type: ObjectIdentifier, _ memory: ExpressionMemory) -> PredicatePlan? {
    if let last, last.type == type, last.plan.fits(memory) { return last.plan }
    guard let others = plans[type],
      let plan = others.first(where: { $0.fits(memory) })
        ?? others.first(where: { $0.fits(memory, comparingKeyPaths: true) })
    else { return nil }
    last = (type, plan)
    return plan
  }
}
