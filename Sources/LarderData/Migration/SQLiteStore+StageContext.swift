extension SQLiteStore {
  /// Returns a context of the models of one version, in the store of a stage.
  package func stageContext(of layouts: [_ModelLayout], version: Schema.Version) -> ModelContext {
    // The models that belong to this store.
    let schema = Schema(layouts.map(\.type), version: version)
    let core = ContainerCore(schema: schema, stage: ContainerStore(self, url: url, layouts: layouts))
    return ModelContext(ModelContainer(core: core))
  }
}

extension ModelContext {
  /// The closure that creates the context of the previous models during a stage.
  package var makePreviousContext: (@Sendable () throws -> ModelContext)? {
    get { core.container.makePreviousContext }
    set { core.container.makePreviousContext = newValue }
  }
}
