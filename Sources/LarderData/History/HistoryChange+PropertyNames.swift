// Larder's own API.

extension HistoryUpdate {
  /// The names of the changed properties, as the model declares them.
  ///
  /// ```swift
  /// for case .update(let update) in transaction.changes where update.updatedPropertyNames.contains("magnitude") {
  ///   index.add(update.changedPersistentIdentifier)
  /// }
  /// ```
  ///
  /// The properties are those of ``updatedAttributes``. Use the names for logs, since a key path cannot be printed, and in code
  /// that does not have the model's type. If the type of the update is no model, there are no names.
  public var updatedPropertyNames: [String] {
    guard let model = Model.self as? any PersistentModel.Type else { return [] }
    return updatedAttributes.compactMap { model._$layout.property($0 as AnyKeyPath)?.name }
  }
}

extension HistoryChange {
  /// The names of the changed properties; empty for inserts and deletes.
  public var updatedPropertyNames: [String] {
    if case .update(let update) = self { update.updatedPropertyNames } else { [] }
  }
}

extension HistoryChange: CustomStringConvertible {
  /// The change and its model, without values: "update Quake 7: magnitude, place".
  public var description: String {
    let identifier = changedPersistentIdentifier
    let model = "\(identifier.entityName) \(identifier.key)"
    return switch self {
    case .insert: "insert \(model)"
    case .update: "update \(model): \(updatedPropertyNames.joined(separator: ", "))"
    case .delete: "delete \(model)"
    }
  }
}
