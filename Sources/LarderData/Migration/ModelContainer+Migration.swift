// Beyond Apple's API.

extension ModelContainer {
  /// Opens a container for a schema, and says how its stores are migrated.
  ///
  /// ```swift
  /// let container = try ModelContainer(
  ///   for: schema, migrationPlan: TripsPlan.self, configurations: [configuration],
  ///   migration: MigrationOptions(keepsPreviousStore: true))
  /// ```
  ///
  /// - Throws: As the other initializers, and `CancellationError` where the progress was cancelled; the file is then as it
  ///   was.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration], migration: MigrationOptions
  ) throws {
    self.init(
      core: try ContainerCore(
        schema: givenSchema, migrationPlan: migrationPlan, configurations: configurations, migration: migration))
    core.setFacade(self)
  }
}
