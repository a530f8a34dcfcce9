/// The statements by which a model's rows are loaded for relationships, each made once.
package struct RelationQueries {
  package enum Kind: Hashable {
    case row, rows
    case mirroring(Int)
    case mirroringOne(Int)
    /// Identifiers only.
    case mirroringIdentifiers(Int)
  }

  private var queries: [Kind: Query] = [:]

  package mutating func query(_ kind: Kind, _ sql: () -> String) -> Query {
    if let known = queries[kind] { return known }
    let query = Query(sql: sql(), parameterCount: 1)
    queries[kind] = query
    return query
  }
}
