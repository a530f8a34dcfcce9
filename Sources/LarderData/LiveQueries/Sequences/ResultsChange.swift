/// One change of live results, an element of ``LiveChanges``.
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
  /// The results after the change.
  public let results: [Model]
  /// The inserted, removed and moved models. Applied to the identifiers of the former results, the difference gives those of
  /// ``results``.
  public let difference: CollectionDifference<PersistentIdentifier>
  /// The models that were in the former results and have been saved with other values since.
  public let updated: [PersistentIdentifier]

  init(from former: QueryResultSnapshot, to list: LiveList<Model>) {
    results = list.elements
    let identity = Dictionary(
      zip(list.snapshot.rows, list.elements.map(\.persistentModelID)), uniquingKeysWith: { first, _ in first })
    let store = list.context.core.session(for: Model._$layout).store.identifier
    // A removed model may have no object any more.
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
