extension PersistentModel {
  /// The context of the model: `nil` before the insert, and after its deletion was saved.
  public var modelContext: ModelContext? { _$header.pointee.tracker?.core.facade }
}
