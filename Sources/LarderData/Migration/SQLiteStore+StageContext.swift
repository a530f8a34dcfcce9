extension SQLiteStore {
  /// A context of the models of one version, in a store of a stage.
  package func stageContext(of layouts: [_ModelLayout], version: Schema.Version) -> ModelContext {
    // The models that lie in this store.
    let schema = Schema(layouts.map(\.type), version: version)
    let core = ContainerCore(schema: schema, stage: ContainerStore(self, url: url, layouts: layouts))
    return ModelContext(ModelContainer(core: core))
  }
}

extension ModelContext {
  /// What makes the context of the former models in the work of a stage.
  package var makePreviousContext: (@Sendable () throws -> ModelContext)? {
    get { core.container.makePreviousContext }
    set { core.container.makePreviousContext = newValue }
  }
}
