extension ModelContext {
  /// Fetches the models that match a descriptor, with at most `batchSize` of them in memory at a time.
  ///
  /// The set of models and their order are fixed at the call, pending changes included; the values of a model are read with
  /// its batch. A result whose row was deleted meanwhile is a placeholder, as that of ``model(for:)`` is.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(), batchSize: 100)
  /// for trip in trips { print(trip.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The fetch descriptor.
  ///   - batchSize: The number of models to load at a time; all at once if it is below 1.
  /// - Returns: A collection of the models, in the descriptor's order, which loads them batch by batch.
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    let rows = try core.fetchRows(descriptor)
    let request = try FetchRequest(descriptor)
    // The collection holds the context: inserted, unsaved models would be dropped with it.
    return FetchResultsCollection(count: rows.count, batchSize: size(batchSize, of: rows.count)) { places in
      let models = self.loadBatch(rows[places], T.self)
      // A relationship that cannot be prefetched now is loaded at its first access, which reports the error.
      if !request.prefetchedRelations.isEmpty { try? self.core.prefetch(request, models) }
      return models
    }
  }

  /// Fetches the identifiers of the models that match a descriptor.
  ///
  /// Identifiers are small and are all read at the call, so the batch size has no effect on memory.
  ///
  /// - Parameters:
  ///   - descriptor: The fetch descriptor.
  ///   - batchSize: The number of identifiers in a batch; all in one if it is below 1.
  /// - Returns: The identifiers, in the descriptor's order.
  /// - Throws: The errors of ``fetch(_:)``.
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

  /// Loads the models of one batch with one statement.
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
      // A model whose deletion is pending is not loaded, but may still be in memory.
      return core.registered(identifier, as: type) ?? core.missingRowPlaceholder(identifier, type, reason)
    }
  }
}

extension _ModelLayout {
  fileprivate func identity(in core: _ContextCore) -> EntityIdentity {
    .of(store: core.session(for: self).store.identifier, entity: entityName)
  }
}
