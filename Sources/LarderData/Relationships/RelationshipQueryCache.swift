/// The statements that load a model's rows for relationships, each created once.
package struct RelationshipQueryCache {
  package enum Kind: Hashable {
    case row, rows
    case referrers(Int)
    case referrersOfOne(Int)
    /// Row IDs only.
    case referrerIdentifiers(Int)
  }

  private var queries: [Kind: PreparedQuery] = [:]

  package mutating func query(_ kind: Kind, _ sql: () -> String) -> PreparedQuery {
    if let known = queries[kind] { return known }
    let query = PreparedQuery(sql: sql(), parameterCount: 1)
    queries[kind] = query
    return query
  }
}
