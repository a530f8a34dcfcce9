import LarderData

extension TestStore {
  /// A store of squads and all that belongs to them: every kind of relationship.
  static func ofTeams(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
  }

  /// A context that has loaded nothing yet, and its undo manager.
  func undoing() -> (ModelContext, UndoManager) {
    let context = context()
    let manager = UndoManager()
    context.undoManager = manager
    return (context, manager)
  }
}
