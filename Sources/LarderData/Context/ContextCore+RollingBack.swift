extension ContextCore {
  /// Forgets what is pending and restores what was edited.
  package func rollback() {
    faultError = nil
    for state in known where state.hasChanges { state.rollback() }
    changesEnded()
  }
}

extension EntityState {
  package func rollback() { rollback(layout.type) }

  private func rollback<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = inserted
    let changed = changed
    let deleted = deleted
    for (index, entry) in undo.entries.enumerated() {
      let model = unsafeDowncast(changed[Int(entry.object)], to: Model.self)
      let source = RowSource(undo.values(of: index))
      model._$assign(RowReader(source: source, layout: layout, problems: RowProblems()), entry.bit)
    }
    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.status.remove(.changed)
      header.pointee.changed = 0
    }
    for object in deleted {
      unsafeDowncast(object, to: Model.self)._$header.pointee.status.remove(.deleted)
    }
    clearPending()
    for object in inserted { release(unsafeDowncast(object, to: Model.self)._$header, status: []) }
  }
}
