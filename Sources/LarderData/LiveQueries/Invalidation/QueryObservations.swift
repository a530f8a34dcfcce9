import LarderSQLite
import LarderSupport
import Synchronization

/// The observations of a store. A commit finds the observations that it affects by its changed entities, by their changed
/// properties, and by column values where an observation reads only the rows with one value. It visits no other observation.
package final class QueryObservations: Sendable {
  private typealias Observers = [ObjectIdentifier: (mask: _PropertyMask, watch: QueryObservation)]

  /// The observations of one entity.
  private struct Group {
    var unconditional: Observers = [:]
    /// The observations that read the rows with one value of a column.
    var byValue: [Int: [_StoredValue: Observers]] = [:]

    var isEmpty: Bool { unconditional.isEmpty && byValue.isEmpty }
  }

  private struct Groups {
    var byLayout: [Int: Group] = [:]
    /// The observations of all entities.
    var allModels: Observers = [:]
    /// The columns whose rows are read by one value, with the number of such observations.
    var columns: [Int: [Int: Int]] = [:]
  }

  private let groups = Locked(Groups())
  private let count = Atomic<Int>(0)
  private let wakes = Atomic<Int>(0)
  private let runs = Atomic<Int>(0)

  package init() {}

  /// The number of observations that commits have woken.
  package var wakeCount: Int { wakes.load(ordering: .relaxed) }
  /// The number of runs of queries.
  package var runCount: Int { runs.load(ordering: .relaxed) }

  func recordRun() { runs.add(1, ordering: .relaxed) }

  package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  package func add(_ watch: QueryObservation) {
    groups.withLock { groups in
      let key = ObjectIdentifier(watch)
      if watch.dependencies.models.isEmpty { groups.allModels[key] = (~0, watch) }
      for (place, model) in watch.dependencies.models.enumerated() {
        let layout = model.layout.id
        if place == 0, let equality = watch.dependencies.equality {
          groups.byLayout[layout, default: Group()].byValue[equality.column, default: [:]][
            equality.value, default: [:]][
              key] = (model.mask, watch)
          groups.columns[layout, default: [:]][equality.column, default: 0] += 1
        } else {
          groups.byLayout[layout, default: Group()].unconditional[key] = (model.mask, watch)
        }
      }
      count.add(1, ordering: .releasing)
    }
  }

  package func remove(_ watch: QueryObservation) {
    groups.withLock { groups in
      let key = ObjectIdentifier(watch)
      var wasThere = groups.allModels.removeValue(forKey: key) != nil
      for (place, model) in watch.dependencies.models.enumerated() {
        let layout = model.layout.id
        guard var group = groups.byLayout.removeValue(forKey: layout) else { continue }
        if place == 0, let equality = watch.dependencies.equality {
          if group.byValue[equality.column]?[equality.value]?.removeValue(forKey: key) != nil {
            wasThere = true
            groups.columns[layout]?[equality.column, default: 1] -= 1
            if groups.columns[layout]?[equality.column] == 0 { groups.columns[layout]?[equality.column] = nil }
          }
          if group.byValue[equality.column]?[equality.value]?.isEmpty == true {
            group.byValue[equality.column]?[equality.value] = nil
          }
          if group.byValue[equality.column]?.isEmpty == true { group.byValue[equality.column] = nil }
        } else if group.unconditional.removeValue(forKey: key) != nil {
          wasThere = true
        }
        if !group.isEmpty { groups.byLayout[layout] = group }
      }
      if wasThere { count.subtract(1, ordering: .releasing) }
    }
  }

  // MARK: Commits

  fileprivate func publish(_ changes: ChangeSet) {
    if isEmpty { return }
    for watch in observations(affectedBy: changes) {
      wakes.add(1, ordering: .relaxed)
      watch.wake()
    }
  }

  /// Wakes all observations, since any row may have changed.
  fileprivate func publishEverything() {
    let all = groups.withLock { groups in
      var all = groups.allModels
      for group in groups.byLayout.values {
        all.merge(group.unconditional) { first, _ in first }
        for watchers in group.byValue.values.flatMap(\.values) { all.merge(watchers) { first, _ in first } }
      }
      return all
    }
    wakes.add(all.count, ordering: .relaxed)
    for (_, watch) in all.values { watch.wake() }
  }

  private func observations(affectedBy changes: ChangeSet) -> [QueryObservation] {
    groups.withLock { groups in
      // A transaction of another process may have changed only entities that this container does not have.
      var found = changes.isEmpty && changes.transaction == nil ? [:] : groups.allModels
      for entity in changes.entities {
        let mask = entity.changedMask
        if mask == 0 { continue }
        for layout in entity.layout.lineage {
          if let group = groups.byLayout[layout.id] {
            QueryObservations.collect(group, affectedBy: entity, mask, to: &found)
          }
        }
      }
      return found.values.map(\.watch)
    }
  }

  private static func collect(
    _ group: Group, affectedBy entity: ChangeSet.Entity, _ mask: _PropertyMask, to found: inout Observers
  ) {
    func add(_ watchers: Observers) {
      for (key, one) in watchers where one.mask & mask != 0 || mask == ~0 { found[key] = one }
    }
    add(group.unconditional)
    for (column, byValue) in group.byValue {
      if let touched = entity.changedIndexedValues[column] {
        for value in touched { if let watchers = byValue[value] { add(watchers) } }
      } else {
        for watchers in byValue.values { add(watchers) }
      }
    }
  }
}

extension QueryObservations: CommitObserver {
  package var stage: CommitStage { .queries }

  /// Returns the columns of an entity, or of its superclasses, by whose values live queries select their rows.
  package func observedColumns(of layout: _ModelLayout) -> Set<Int> {
    if isEmpty { return [] }
    return groups.withLock { groups in
      layout.lineage.reduce(into: []) { columns, one in
        if let watched = groups.columns[one.id] { columns.formUnion(watched.keys) }
      }
    }
  }

  package func didCommit(_ changes: ChangeSet) { publish(changes) }
  package func didCommitUnknownChanges() { publishEverything() }
}

extension SQLiteStore {
  /// The observations of the store's live queries. The first access creates them.
  package var queryObservations: QueryObservations { observers.observer { QueryObservations() } }

  /// Registers a live query's observation for the commits that touch the rows it reads.
  func add(_ watch: QueryObservation) {
    queryObservations.add(watch)
    addListener(watch)
  }

  /// Removes a live query's observation.
  func remove(_ watch: QueryObservation) {
    queryObservations.remove(watch)
    removeListener(watch)
  }
}

extension ChangeSet.Entity {
  /// The properties that changed in any row; all properties if rows were inserted or deleted.
  fileprivate var changedMask: _PropertyMask {
    if !inserted.isEmpty || !deleted.isEmpty { return ~0 }
    return updated.reduce(0) { $0 | $1.mask }
  }
}

extension _ModelLayout {
  /// The entity, followed by its superclasses.
  fileprivate var lineage: [_ModelLayout] {
    var lineage = [self]
    while let base = lineage[lineage.count - 1].base { lineage.append(base) }
    return lineage
  }
}
