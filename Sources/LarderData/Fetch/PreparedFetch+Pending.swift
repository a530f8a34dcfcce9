import Foundation

// What is pending in a context is part of its fetches: rows that are deleted, or that an edit took out of the answer,
// are left out; new objects and edited ones that match by now are put in, at their place.

extension PreparedFetch {
  func withPending() throws -> [Model] {
    let limit = descriptor.fetchLimit
    let offset = descriptor.fetchOffset ?? 0
    // At most as many rows as there are pending ones can fall out of the answer.
    let slack = state.deletedRows.count + state.changed.count
    let stored = try load(limit: limit.map { $0 + offset + slack }, offset: 0)

    let readMask = (plan?.mask ?? 0) | (sort?.mask ?? 0)
    let editsMatter = state.dirtyMask & readMask != 0
    let evaluation = try descriptor.predicate.map { try PendingEvaluation(plan, $0, state) }

    var kept = stored
    if editsMatter || !state.deletedRows.isEmpty {
      kept.removeAll { model in
        let header = model._$header
        return header.pointee.status.contains(.deleted) || state.deletedRows.contains(header.pointee.rowID)
          || (editsMatter && header.pointee.status.contains(.changed) && header.pointee.changed & readMask != 0)
      }
    }
    var added: [Model] = []
    if editsMatter {
      for object in state.changed {
        let model = unsafeDowncast(object, to: Model.self)
        let header = model._$header
        if header.pointee.status.contains(.deleted) || header.pointee.changed & readMask == 0 { continue }
        if try evaluation?.matches(model) ?? true { added.append(model) }
      }
    }
    added += try pendingInserts(evaluation)
    if !added.isEmpty { try place(added, into: &kept) }
    if offset > 0 { kept.removeFirst(min(offset, kept.count)) }
    if let limit, kept.count > limit { kept.removeLast(kept.count - limit) }
    return kept
  }

  /// The inserted, unsaved objects that match. An equality is answered by a hash over them.
  private func pendingInserts(_ evaluation: PendingEvaluation<Model>?) throws -> [Model] {
    guard !state.inserted.isEmpty else { return [] }
    guard let plan, let evaluation else { return state.inserted.map { unsafeDowncast($0, to: Model.self) } }
    guard let equality = plan.equality, let predicate = descriptor.predicate,
      let wanted = try plan.equalityValue(predicate.expression)
    else {
      return try state.inserted.compactMap { object in
        let model = unsafeDowncast(object, to: Model.self)
        return try evaluation.matches(model) ? model : nil
      }
    }
    let column = state.layout.columns[equality.column]
    let bit = ModelLayout.bit(column.property)
    if state.pending.mask & bit == 0 {
      // From now on, setting this property must come by `willWrite`.
      for object in state.inserted { unsafeDowncast(object, to: Model.self)._$header.pointee.changed &= ~bit }
    }
    let values = PendingValues<Model>(state)
    let places = state.pending.places(
      of: wanted, column: equality.column, bit: bit, count: state.inserted.count
    ) { place in
      try? values.value(unsafeDowncast(state.inserted[place], to: Model.self), equality.column)
    }
    let found = places.map { unsafeDowncast(state.inserted[$0], to: Model.self) }
    return plan.isExactlyEquality ? found : try found.filter { try evaluation.matches($0) }
  }

  /// Puts objects where the order has them; without one, by identifier.
  private func place(_ added: [Model], into models: inout [Model]) throws {
    models += added
    guard let sort else {
      models.sort { $0._$header.pointee.rowID < $1._$header.pointee.rowID }
      return
    }
    let values = PendingValues<Model>(state)
    try sort.sort(&models, identifier: { $0._$header.pointee.rowID }) { try values.value($0, $1) }
  }
}

/// Column values of objects, for the half of a fetch that is answered in memory.
final class PendingValues<Model: PersistentModel> {
  private let state: EntityState
  private let sink = RowSink()

  init(_ state: EntityState) { self.state = state }

  /// The stored form of one column of an object.
  func value(_ model: Model, _ column: Int) throws -> StoredValue {
    let layout = state.layout
    let property = layout.properties[layout.columns[column].property]
    let mask = property.bit
    sink.values.removeAll(keepingCapacity: true)
    var binder = RowBinder(sink: sink, layout: layout)
    model._$bind(&binder, mask)
    // The last bit stands for several properties, whose columns come in wire order.
    let place = property.index < 63 ? column - property.columns.lowerBound : layout.place(of: column, in: mask)
    if let problem = binder.problem {
      throw SaveError(
        .unstorableValue, entityName: layout.entityName, properties: [property.name],
        identifiers: [model.persistentModelID],
        "\(layout.entityName).\(property.name) cannot be compared: \(problem.reason). Give it another value.")
    }
    return sink.values[place]
  }
}

/// A predicate made ready to be asked of objects.
struct PendingEvaluation<Model: PersistentModel> {
  private let parameters: [ParameterValue]
  private let plan: PredicatePlan
  private let values: PendingValues<Model>

  init(_ plan: PredicatePlan?, _ predicate: Predicate<Model>, _ state: EntityState) throws {
    guard let plan else { throw SwiftDataError.unsupportedPredicate }
    self.plan = plan
    parameters = try plan.parameterValues(predicate.expression)
    values = PendingValues(state)
  }

  func matches(_ model: Model) throws -> Bool {
    try plan.matches({ try values.value(model, $0) }, parameters: parameters)
  }
}

extension ModelLayout {
  /// The place of a column among those that a mask stands for.
  func place(of column: Int, in mask: UInt64) -> Int {
    columns(in: mask).firstIndex { $0.index == column } ?? 0
  }
}
