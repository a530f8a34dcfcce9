// Beyond Apple's API.

extension ModelContext {
  /// The key, in the user info of ``didSave``, of the models whose edits were dropped since the save before because others had
  /// deleted their rows, as `[PersistentIdentifier]`. Absent where there are none.
  ///
  /// ```swift
  /// let dropped = notification.userInfo?[ModelContext.vanishedIdentifiersKey] as? [PersistentIdentifier] ?? []
  /// ```
  public static let droppedEditIdentifiersKey = "vanishedIdentifiers"
}
