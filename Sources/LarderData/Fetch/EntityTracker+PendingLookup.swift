import Foundation
import LarderSupport

// Pending objects that come into question for a fetch, found by hashes over them.

extension PredicatePlan {
  /// The values that ``lookup`` asks for; nil where the predicate names none.
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
  /// Below so many, to ask each object takes no longer.
  private static var fewEdits: Int { 16 }

  /// The place of the inserted object that a row's number names.
  func insertedIndexes(ofRow key: _StoredValue) -> [Int] {
    guard case .integer(let row) = key, !inserted.isEmpty, let object = find(row) else { return [] }
    let header = erased(object)._$header
    guard header.pointee.status.contains(.inserted) else { return [] }
    if let place = insertedIndex(of: object, header.pointee.changedIndex) { return [place] }
    // Objects have left the list since.
    for (place, object) in inserted.enumerated() {
      erased(object)._$header.pointee.changedIndex = Int32(truncatingIfNeeded: place)
    }
    return insertedIndex(of: object, header.pointee.changedIndex).map { [$0] } ?? []
  }

  private func insertedIndex(of object: AnyObject, _ place: Int32) -> Int? {
    let place = Int(place)
    return place >= 0 && place < inserted.count && inserted[place] === object ? place : nil
  }

  /// The places of the inserted objects that have one of the values; nil where to ask each takes no longer.
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

  /// The edited objects that have one of the values; nil where each is to be asked.
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
        // A relationship changes in other ways than by its setter.
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

  /// What was pending is so no more: what was found out of it is forgotten.
  func invalidatePendingIndexes() {
    editedIndexes.removeAll()
    pendingRemovals &+= 1
  }
}
