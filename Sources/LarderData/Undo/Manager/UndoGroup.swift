#if !canImport(ObjectiveC)
  /// The unit of one undo: actions, and groups that were closed within this one, in the order of their registration.
  final class UndoGroup {
    enum Entry {
      case action(UndoAction)
      case group(UndoGroup)
    }

    /// The group that encloses this open group; `nil` for an outermost group and for a closed one.
    private(set) var parent: UndoGroup?
    /// Whether the first action opened the group, and not a call of `beginUndoGrouping()`.
    let isAutomatic: Bool
    var name = ""
    var isDiscardable = false
    private(set) var entries: [Entry] = []

    init(in parent: UndoGroup?, isAutomatic: Bool = false) {
      self.parent = parent
      self.isAutomatic = isAutomatic
    }

    /// Whether this group and the groups around it are empty.
    var isEmptyWithParents: Bool { entries.isEmpty && parent?.isEmptyWithParents != false }
    var depth: Int { 1 + (parent?.depth ?? 0) }
    var root: UndoGroup { parent?.root ?? self }

    /// Closes the group.
    ///
    /// - Returns: The group that enclosed it.
    func close() -> UndoGroup? {
      defer { parent = nil }
      return parent
    }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    /// Appends a group that was closed within this one, unless it is empty.
    func append(_ group: UndoGroup) {
      if group.entries.isEmpty { return }
      entries.append(.group(group))
      if name.isEmpty { name = group.name }
    }

    /// Removes and returns the last group that was closed within this one, if nothing was registered after it.
    func popLastGroup() -> UndoGroup? {
      guard case .group(let group)? = entries.last else { return nil }
      entries.removeLast()
      return group
    }

    /// Performs the actions, the last one first.
    func perform() {
      for entry in entries.reversed() {
        switch entry {
        case .action(let action): action.perform()
        case .group(let group): group.perform()
        }
      }
    }

    /// Removes the entries of this group and of the groups around it.
    ///
    /// - Returns: The removed entries. The caller releases them after all state is cleared.
    func removeAll() -> [Entry] {
      let removed = entries
      entries.removeAll()
      return removed + (parent?.removeAll() ?? [])
    }

    /// Removes the actions of a target, in this group and in the groups around it.
    ///
    /// - Parameter removed: Receives the removed actions. The caller releases them after all state is cleared.
    /// - Returns: Whether any entry is left.
    @discardableResult
    func removeActions(of target: ObjectIdentifier, _ removed: inout [UndoAction]) -> Bool {
      entries = entries.filter { entry in
        switch entry {
        case .action(let action) where action.identifier == target:
          removed.append(action)
          return false
        case .action: return true
        case .group(let group): return group.removeActions(of: target, &removed)
        }
      }
      parent?.removeActions(of: target, &removed)
      return !entries.isEmpty
    }
  }

  /// A closure that reverts one change.
  final class UndoAction {
    /// The object that was changed. The action of a deallocated target reverts nothing.
    private weak var target: AnyObject?
    /// The target's identity, known without the target, which may remove its actions while it is being deinitialized.
    let identifier: ObjectIdentifier
    private let handler: (AnyObject) -> Void

    init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) -> Void) {
      self.target = target
      identifier = ObjectIdentifier(target)
      // `perform()` passes the target of this initializer.
      self.handler = { handler(unsafeDowncast($0, to: Target.self)) }
    }

    func perform() { if let target { handler(target) } }
  }
#endif
