/// One change of live results.
///
/// ```swift
/// for change in change.difference.inferringMoves() {
///   switch change {
///   case .insert(let place, let id, _): show(id, at: place)
///   case .remove(let place, _, _): hide(at: place)
///   }
/// }
/// ```
public struct ResultsChange<Model: PersistentModel> {
  /// The results by now.
  public let results: [Model]
  /// What came, went and moved. Applied to the identifiers of the results before, it gives those of ``results``.
  public let difference: CollectionDifference<PersistentIdentifier>
  /// Those that were there before and have been saved with other values since.
  public let updated: [PersistentIdentifier]

  init(from former: QueryResultSnapshot, to list: LiveList<Model>) {
    results = list.elements
    let identity = Dictionary(
      zip(list.snapshot.rows, list.elements.map(\.persistentModelID)), uniquingKeysWith: { first, _ in first })
    let store = list.context.core.session(for: Model._$layout).store.identifier
    // One that has gone has no object any more.
    let fallback = EntityIdentity.of(store: store, entity: Model._$layout.entityName)
    func identifier(_ row: Int64) -> PersistentIdentifier {
      identity[row] ?? PersistentIdentifier(identity: fallback, key: row, isSaved: true)
    }
    difference = ListDifference(from: former.rows, to: list.snapshot.rows).collectionDifference(of: identifier)
    let versions = Dictionary(zip(former.rows, former.versions), uniquingKeysWith: { first, _ in first })
    updated = zip(list.snapshot.rows, list.snapshot.versions).compactMap { row, version in
      guard let before = versions[row], before != version else { return nil }
      return identifier(row)
    }
  }
}
