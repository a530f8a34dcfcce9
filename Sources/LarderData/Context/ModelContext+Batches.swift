extension ModelContext {
  /// The models that a descriptor asks for, in its order, of which at most `batchSize` are in memory on this account.
  ///
  /// Which models these are, and their order, is settled now, with what is pending here; their values are read with
  /// their batch. The results of a row that was deleted meanwhile stand for nothing, as those of ``model(for:)`` do.
  ///
  /// - Parameters:
  ///   - descriptor: What is asked for.
  ///   - batchSize: How many models are loaded at a time; all at once where it is below 1.
  /// - Throws: As ``fetch(_:)``.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    let rows = try core.fetchRows(descriptor)
    let request = try FetchRequest(descriptor)
    // The context itself is kept: what is inserted and not saved would go with it.
    return FetchResultsCollection(count: rows.count, batchSize: size(batchSize, of: rows.count)) { places in
      let models = self.loadBatch(rows[places], T.self)
      // What could not be loaded now is loaded when it is touched, which says why it cannot.
      if !request.prefetchedRelations.isEmpty { try? self.core.prefetch(request, models) }
      return models
    }
  }

  /// The identifiers of the models that a descriptor asks for, in its order.
  ///
  /// Identifiers are small and are all read now, so the size of the batches changes nothing.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    let identifiers = try fetchIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: size(batchSize, of: identifiers.count)) {
      places in
      Array(identifiers[places])
    }
  }

  private func size(_ wanted: Int, of count: Int) -> Int { wanted < 1 ? max(1, count) : wanted }

  /// The models of one batch, from one statement.
  private func loadBatch<T: PersistentModel>(_ rows: ArraySlice<Int64>, _ type: T.Type) -> [T] {
    let identity = T._$layout.identity(in: core)
    var found: [Int64: T] = [:]
    var reason = "there is no such row any more"
    do {
      found = try core.loadModels(rows, as: type)
    } catch {
      reason = "\(error)"
    }
    return rows.map { row in
      if let model = found[row] { return model }
      let identifier = PersistentIdentifier(identity: identity, key: row, isSaved: true)
      // One whose deletion is pending is loaded no more, but somebody may hold it.
      return core.registered(identifier, as: type) ?? core.missingRowPlaceholder(identifier, type, reason)
    }
  }
}

extension _ModelLayout {
  fileprivate func identity(in core: _ContextCore) -> EntityIdentity {
    .of(store: core.session(for: self).store.identifier, entity: entityName)
  }
}
