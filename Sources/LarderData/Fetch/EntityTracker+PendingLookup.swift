import Foundation
import LarderSupport

// Hash look-ups of the pending objects that may match a fetch.

extension PredicatePlan {
  /// Returns the values that ``lookup`` searches for; nil where the predicate has no such values.
  func lookupValues(_ expression: any StandardPredicateExpression<Bool>) throws -> LookupValues? {
    guard let lookup else { return nil }
    return try ExpressionMemory.with(expression) { memory in
      var result: LookupValues = [:]
      for (key, wanted) in lookup.alternatives {
        switch wanted {
        case .value(let value): result[key, default: []].insert(value)
        case .parameter(let place):
          guard case .scalar(let value) = try load(place, memory) else { return nil }
          result[key, default: []].insert(value)
        case .list(let place):
          guard case .list(let values) = try load(place, memory) else { return nil }
          result[key, default: []].formUnion(values)
        }
      }
      return result
    }
  }
}

extension _EntityTracker {
  /// 16: below this number, evaluating the predicate for each object is as fast.
  private static var fewEdits: Int { 16 }

  /// Returns the index of the inserted object that has a row ID.
  func insertedIndexes(ofRow key: _StoredValue) -> [Int] {
    guard case .integer(let row) = key, !inserted.isEmpty, let object = find(row) else { return [] }
    let header = erased(object)._$header
    guard header.pointee.status.contains(.inserted) else { return [] }
    if let place = insertedIndex(of: object, header.pointee.changedIndex) { return [place] }
    // Objects were removed from the list since then.
    for (place, object) in inserted.enumerated() {
      erased(object)._$header.pointee.changedIndex = Int32(truncatingIfNeeded: place)
    }
    return insertedIndex(of: object, header.pointee.changedIndex).map { [$0] } ?? []
  }

  private func insertedIndex(of object: AnyObject, _ place: Int32) -> Int? {
    let place = Int(place)
    return place >= 0 && place < inserted.count && inserted[place] === object ? place : nil
  }

  /// Returns the indexes of the inserted objects that have one of the values; nil where evaluating each object is as fast.
  func insertedIndexes(of wanted: LookupValues) -> [Int]? {
    if inserted.isEmpty { return [] }
    guard wanted.values.reduce(0, { $0 + $1.count }) <= inserted.count else { return nil }
    var result: Set<Int> = []
    for (key, values) in wanted {
      for value in values {
        switch key {
        case .row: result.formUnion(insertedIndexes(ofRow: value))
        case .column(let column): result.formUnion(insertedIndexes(of: value, column: column))
        }
      }
    }
    return result.inOrder()
  }

  /// Returns the edited objects that have one of the values; nil where each object is to be evaluated.
  func editedObjects(with wanted: LookupValues) -> [AnyObject]? {
    guard changed.count > _EntityTracker.fewEdits else { return nil }
    return editedObjects(with: wanted, layout.type)
  }

  private func editedObjects<Model: PersistentModel>(
    with wanted: LookupValues, _ type: Model.Type
  ) -> [AnyObject]? {
    var columns: [(column: Int, values: Set<_StoredValue>)] = []
    var rows: Set<_StoredValue> = []
    for (key, values) in wanted {
      switch key {
      case .row: rows = values
      case .column(let column):
        // A relationship can change without a call of its setter.
        guard layout.properties[layout.columns[column].property].relationship == nil else { return nil }
        columns.append((column, values))
      }
    }
    guard wanted.values.reduce(0, { $0 + $1.count }) <= changed.count else { return nil }
    func model(_ place: Int) -> Model { unsafeDowncast(changed[place], to: Model.self) }
    var places: Set<Int> = []
    if !columns.isEmpty {
      places = editedIndexes.positions(of: columns, count: changed.count) { place in
        model(place)._$trackEveryChange()
      } value: {
        try? objectValues.value($1, of: model($0))
      }
    }
    for row in rows {
      guard case .integer(let row) = row, let object = find(row) else { continue }
      let header = erased(object)._$header
      if header.pointee.status.contains(.changed) { places.insert(Int(header.pointee.changedIndex)) }
    }
    return places.inOrder().compactMap { $0 < changed.count ? changed[$0] : nil }
  }

  /// Clears the indexes over pending objects, because an object is no longer pending.
  func invalidatePendingIndexes() {
    editedIndexes.removeAll()
    pendingRemovals &+= 1
  }
}
