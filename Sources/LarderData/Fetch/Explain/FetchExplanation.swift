/// How the store runs a fetch: what ``ModelContext/explain(_:)`` gives.
///
/// ```swift
/// let explanation = try context.explain(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 5 }))
/// print(explanation)
/// ```
public struct FetchExplanation: Sendable, Hashable {
  /// The statement, with a parameter for each captured value.
  public let sql: String
  /// What SQLite does, a line for each step, as `EXPLAIN QUERY PLAN` says it.
  public let steps: [String]
  /// The indexes that serve it, by their names in the store; those of related models too.
  public let indexes: [String]
  /// Whether each row of a table, or each entry of an index, is looked at. A condition on a related object that is
  /// compared with an optional value has a second half for nil, which counts only where the captured value is nil.
  public let isScan: Bool
  /// Whether rows are sorted after they were found, because no index has their order.
  public let isSorted: Bool
  /// The `#Index` that would help, where one would. It names the model to add it to, which is a related one where the
  /// predicate asks for no property of the fetched model that an index could serve.
  public let suggestion: String?
  /// Whether a part of the predicate is asked in Swift, of each row that the statement gives.
  public let isPartlyInSwift: Bool
  /// Whether what is pending in the context is mixed in, which is done in memory.
  public let includesPending: Bool
}

extension FetchExplanation: CustomStringConvertible {
  public var description: String {
    var lines = [sql] + steps.map { "- \($0)" }
    if isPartlyInSwift { lines.append("- the rest of the predicate is asked in Swift, of each of these rows") }
    if includesPending { lines.append("- what is pending in the context is mixed in") }
    if let suggestion { lines.append("Would help: \(suggestion)") }
    return lines.joined(separator: "\n")
  }
}
