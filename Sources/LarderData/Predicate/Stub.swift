package import Foundation
package import LarderSQLite
package enum ParameterValue { case scalar(StoredValue) }
package struct PredicateEquality { let property: Int; let column: Int; let parameter: Int }
package final class PredicatePlan {
  package let whereSQL = ""
  package let mask: UInt64 = 0
  package let equality: PredicateEquality? = nil
  package let isExactlyEquality = false
  package var parameterCount: Int { 0 }
  package var rowsQuery: Query?
  package func bind(_ expression: any StandardPredicateExpression<Bool>, to statement: Statement, from first: Int32 = 1) throws {}
  package func parameterValues(_ expression: any StandardPredicateExpression<Bool>) throws -> [ParameterValue] { [] }
  package func equalityValue(_ expression: any StandardPredicateExpression<Bool>) throws -> StoredValue? { nil }
  package func matches(_ value: (Int) throws -> StoredValue, parameters: [ParameterValue]) throws -> Bool { true }
}
package final class PlanCache {
  package init() {}
  package func find(_ expression: any StandardPredicateExpression<Bool>, _ layout: ModelLayout) throws -> PredicatePlan { PredicatePlan() }
}
package struct SortPlan {
  package let sql = ""
  package let mask: UInt64 = 0
  init<T>(_ d: [SortDescriptor<T>], layout: ModelLayout) throws {}
  func sort<T>(_ m: inout [T], identifier: (T) -> Int64, _ v: (T, Int) throws -> StoredValue) throws {}
}
