/// The way the store runs a fetch, as ``ModelContext/explain(_:)`` returns it.
///
/// ```swift
/// let explanation = try context.explain(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 5 }))
/// print(explanation)
/// ```
public struct FetchExplanation: Sendable, Hashable {
  /// The statement, with a parameter for each captured value.
  public let sql: String
  /// The steps of SQLite's query plan, one line each, as `EXPLAIN QUERY PLAN` prints them.
  public let steps: [String]
  /// The names of the indexes that the statement uses, those of related models included.
  public let indexes: [String]
  /// Whether SQLite visits each row of a table, or each entry of an index. A condition on a related object that is
  /// compared with an optional value has a second half for nil, which counts only if the captured value is nil.
  public let isScan: Bool
  /// Whether SQLite sorts the rows after finding them, because no index has their order.
  public let isSorted: Bool
  /// The `#Index` that would help, if there is one. It names the model to add it to. This is a related model if the
  /// predicate has no condition on a property of the fetched model that an index could serve.
  public let suggestion: String?
  /// Whether a part of the predicate is evaluated in Swift, for each row that the statement returns.
  public let isPartlyInSwift: Bool
  /// Whether the context's pending changes are merged into the result, in memory.
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
