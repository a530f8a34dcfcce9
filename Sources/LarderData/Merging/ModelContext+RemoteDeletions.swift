// Additions to Apple's API.

extension ModelContext {
  /// The key, in the user info of ``didSave``, of the models whose edits were dropped since the previous save because another
  /// context had deleted their rows, as `[PersistentIdentifier]`. Absent if there are none.
  ///
  /// ```swift
  /// let key = ModelContext.droppedEditIdentifiersKey
  /// let dropped = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
  /// ```
  public static let droppedEditIdentifiersKey = "vanishedIdentifiers"
}
