// Beyond Apple's API.

extension ModelContainer {
  /// Opens a container for a schema, with options for the migration of its stores.
  ///
  /// ```swift
  /// let container = try ModelContainer(
  ///   for: schema, migrationPlan: TripsPlan.self, configurations: [configuration],
  ///   migration: MigrationOptions(keepsPreviousStore: true))
  /// ```
  ///
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: The plan with the versions and stages; `nil` to migrate automatically.
  ///   - configurations: The stores.
  ///   - migration: The options.
  /// - Throws: The errors of the other initializers, and `CancellationError` if the progress was cancelled; the file is
  ///   then unchanged.
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

extension ModelContainer {
  /// A report on the values that were removed when this container was opened, and on rows that it does not show.
  public var migrationReport: MigrationReport { core.migrationReport }
}
