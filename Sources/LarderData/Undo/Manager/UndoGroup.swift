#if !canImport(ObjectiveC)
  /// What one undo takes back: actions, and groups that were closed within this one, in the order in which they came.
  final class UndoGroup {
    enum Entry {
      case action(UndoAction)
      case group(UndoGroup)
    }

    /// The one within which it is open; a closed one keeps none.
    private(set) var parent: UndoGroup?
    /// Whether it was opened by the first action, and not by somebody.
    let isAutomatic: Bool
    var name = ""
    var isDiscardable = false
    private(set) var entries: [Entry] = []

    init(in parent: UndoGroup?, isAutomatic: Bool = false) {
      self.parent = parent
      self.isAutomatic = isAutomatic
    }

    /// Whether nothing is in it, nor in those around it.
    var isEmptyWithParents: Bool { entries.isEmpty && parent?.isEmptyWithParents != false }
    var depth: Int { 1 + (parent?.depth ?? 0) }
    var root: UndoGroup { parent?.root ?? self }

    /// - Returns: The group within which it was open.
    func close() -> UndoGroup? {
      defer { parent = nil }
      return parent
    }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    /// Takes a group in that was closed within this one.
    func append(_ group: UndoGroup) {
      if group.entries.isEmpty { return }
      entries.append(.group(group))
      if name.isEmpty { name = group.name }
    }

    /// Takes the last group out that was closed within this one, if nothing came after it.
    func popLastGroup() -> UndoGroup? {
      guard case .group(let group)? = entries.last else { return nil }
      entries.removeLast()
      return group
    }

    /// Carries the actions out, the last one first.
    func perform() {
      for entry in entries.reversed() {
        switch entry {
        case .action(let action): action.perform()
        case .group(let group): group.perform()
        }
      }
    }

    /// - Returns: What was in it and those around it, to be let go of when all is forgotten.
    func removeAll() -> [Entry] {
      let removed = entries
      entries.removeAll()
      return removed + (parent?.removeAll() ?? [])
    }

    /// Drops the actions of a target.
    ///
    /// - Parameter removed: Gets them, to be let go of when all is forgotten.
    /// - Returns: Whether anything is left.
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

  /// A closure that takes one change back.
  final class UndoAction {
    /// A target that has gone by then has nothing to take back.
    private weak var target: AnyObject?
    /// Known without the target, which may be on its way out when it asks for the removal of its actions.
    let identifier: ObjectIdentifier
    private let handler: (AnyObject) -> Void

    init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) -> Void) {
      self.target = target
      identifier = ObjectIdentifier(target)
      // The target is what this was made with.
      self.handler = { handler(unsafeDowncast($0, to: Target.self)) }
    }

    func perform() { if let target { handler(target) } }
  }
#endif
