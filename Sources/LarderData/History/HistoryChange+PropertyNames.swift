// Beyond Apple's API.

extension HistoryUpdate {
  /// The names of the properties that were changed, as the model declares them.
  ///
  /// ```swift
  /// for case .update(let update) in transaction.changes where update.updatedPropertyNames.contains("magnitude") {
  ///   index.add(update.changedPersistentIdentifier)
  /// }
  /// ```
  ///
  /// The same as ``updatedAttributes``, for logs and for who has not the model's type at hand. A key path has no name of its
  /// own to be printed. None where the update is of a type that is no model.
  public var updatedPropertyNames: [String] {
    guard let model = Model.self as? any PersistentModel.Type else { return [] }
    return updatedAttributes.compactMap { model._$layout.property($0 as AnyKeyPath)?.name }
  }
}

extension HistoryChange {
  /// The names of the properties that were changed; none of what was inserted or deleted.
  public var updatedPropertyNames: [String] {
    if case .update(let update) = self { update.updatedPropertyNames } else { [] }
  }
}

extension HistoryChange: CustomStringConvertible {
  /// What became of which model: "update Quake 7: magnitude, place". Values are not in it.
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
