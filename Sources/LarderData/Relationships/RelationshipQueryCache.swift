/// The statements by which a model's rows are loaded for relationships, each made once.
package struct RelationshipQueryCache {
  package enum Kind: Hashable {
    case row, rows
    case referrers(Int)
    case referrersOfOne(Int)
    /// Identifiers only.
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
