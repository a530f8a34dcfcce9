#if !canImport(ObjectiveC)
  public import Foundation

  /// A stack of closures that revert changes: Foundation's `UndoManager`, which Foundation has on Apple's systems only.
  ///
  /// Assign one to ``ModelContext/undoManager``, and the changes of that context can be undone:
  ///
  /// ```swift
  /// let undoManager = UndoManager()
  /// context.undoManager = undoManager
  /// trip.name = "Rome"
  /// try context.save()
  /// undoManager.undo()  // trip.name has its former value
  /// try context.save()
  /// ```
  ///
  /// Register an action for any other change that can be undone. An action that is registered during an undo is for the redo:
  ///
  /// ```swift
  /// func select(_ new: Int) {
  ///   undoManager.registerUndo(withTarget: self) { [old = selection] in $0.select(old) }
  ///   selection = new
  /// }
  /// ```
  ///
  /// ### Groups
  ///
  /// One undo reverts a whole group. If no group is open, the first action opens one. A run loop that closes it need not
  /// exist, so "by event" means by turn: a group that was opened on the main thread is closed at the next turn of the main
  /// queue. On any thread, the next save of a context closes the group, and so do ``undo()`` and ``beginUndoGrouping()``: a
  /// group that the caller begins stands by itself, and not within one that was opened for the turn.
  ///
  /// A group without actions leaves nothing to undo. Targets are held weakly: the actions of a deallocated target revert
  /// nothing. Where Foundation raises an exception, the call does nothing and logs a warning.
  ///
  /// An undo manager belongs to one thread or actor at a time, as a context does.
  open class UndoManager: NSObject {
    // The innermost open group.
    private(set) var current: UndoGroup?
    private(set) var undoStack: [UndoGroup] = []
    private(set) var redoStack: [UndoGroup] = []
    private var disableCount = 0

    /// Creates an undo manager with nothing to undo.
    public override init() { super.init() }

    /// Whether the first action opens a group if none is open. The default is `true`.
    open var groupsByEvent = true

    /// The maximum number of undos, and of redos, to keep. The default, 0, keeps all.
    open var levelsOfUndo = 0 { didSet { trimStacks() } }

    /// Whether an undo is in progress.
    open private(set) var isUndoing = false
    /// Whether a redo is in progress.
    open private(set) var isRedoing = false

    // MARK: Registration

    /// Registers a closure that reverts a change.
    ///
    /// - Parameters:
    ///   - target: The object that was changed. The undo manager holds it weakly.
    ///   - handler: The closure that reverts the change. It is passed the target, and should not capture it as well.
    open func registerUndo<TargetType>(withTarget target: TargetType, handler: @escaping (TargetType) -> Void)
    where TargetType: AnyObject {
      guard isUndoRegistrationEnabled else { return }
      let action = UndoAction(target, handler)
      if !isUndoing, !isRedoing { clearRedoStack() }
      if let current { return current.append(action) }
      if !groupsByEvent {
        Log.warning("An undo was registered without beginUndoGrouping(), and groupsByEvent is false: it is a group.")
      }
      let group = openGroup(UndoGroup(in: nil, isAutomatic: true))
      group.append(action)
      if groupsByEvent { scheduleClose(of: group) } else { closeGroup(group) }
    }

    /// Whether registered actions are kept.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Ignores actions that are registered from now on, until ``enableUndoRegistration()`` has been called as often as this
    /// function.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Keeps registered actions again, once it has been called as often as ``disableUndoRegistration()``.
    open func enableUndoRegistration() {
      if disableCount == 0 {
        return Log.warning("enableUndoRegistration() was called without disableUndoRegistration().")
      }
      disableCount -= 1
    }

    /// Removes all actions that can be undone or redone, and enables registration.
    open func removeAllActions() {
      let held = (undoStack, redoStack, current?.removeAll())
      undoStack.removeAll()
      redoStack.removeAll()
      disableCount = 0
      withExtendedLifetime(held) {}
    }

    /// Removes the actions of a target.
    ///
    /// - Parameter target: The object with which the actions were registered.
    open func removeAllActions(withTarget target: Any) {
      let identifier = ObjectIdentifier(target as AnyObject)
      let held = (undoStack, redoStack)
      var removed: [UndoAction] = []
      undoStack = undoStack.filter { $0.removeActions(of: identifier, &removed) }
      redoStack = redoStack.filter { $0.removeActions(of: identifier, &removed) }
      current?.removeActions(of: identifier, &removed)
      withExtendedLifetime((held, removed)) {}
    }

    /// Removes all redos. A removed action may hold the last reference to an object whose `deinit` reads the stacks, so each
    /// function that removes actions holds them until its work is done.
    private func clearRedoStack() {
      let held = redoStack
      redoStack.removeAll()
      withExtendedLifetime(held) {}
    }

    // MARK: Groups

    /// The number of open groups, one within the other.
    open var groupingLevel: Int { current?.depth ?? 0 }

    /// Opens a group, which one undo reverts as a whole. Groups may be nested.
    ///
    /// ```swift
    /// undoManager.beginUndoGrouping()
    /// trip.name = "Rome"
    /// try context.save()
    /// trip.start = .now
    /// try context.save()
    /// undoManager.endUndoGrouping()
    /// undoManager.undo()  // reverts both changes
    /// ```
    open func beginUndoGrouping() {
      post(.NSUndoManagerCheckpoint)
      closeAutomaticGroup()
      openGroup(UndoGroup(in: current))
    }

    /// Closes the group that was opened last.
    open func endUndoGrouping() {
      guard let group = current, group !== counterpartGroup else {
        return Log.warning("endUndoGrouping() was called without beginUndoGrouping().")
      }
      post(.NSUndoManagerCheckpoint)
      // An observer of the notification may have closed it.
      if current === group { closeGroup(group) }
    }

    // MARK: Undo and redo

    /// Whether there is anything to undo.
    open var canUndo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !undoStack.isEmpty || current?.isEmptyWithParents == false
    }

    /// Whether there is anything to redo: changes that were undone, unless another change was registered since.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// Reverts the last group. Closes it first if it is open.
    open func undo() {
      guard prepareToPerform("undo()") else { return }
      undoNestedGroup()
    }

    /// Reverts the last group that was closed, whether it is within an open group or not.
    open func undoNestedGroup() {
      guard !isUndoing, !isRedoing else { return Log.warning("undoNestedGroup() was called within an undo or redo.") }
      post(.NSUndoManagerCheckpoint)
      if let current {
        guard let group = current.popLastGroup() else {
          return Log.warning("undoNestedGroup() needs a group that is closed, and nothing registered after it.")
        }
        return undo(group)
      }
      if let group = undoStack.popLast() { undo(group) }
    }

    /// Reverts the last undo.
    open func redo() {
      guard prepareToPerform("redo()"), let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      isRedoing = true
      let counterpart = perform(group)
      isRedoing = false
      push(counterpart)
      post(.NSUndoManagerDidRedoChange)
    }

    private func undo(_ group: UndoGroup) {
      post(.NSUndoManagerWillUndoChange)
      isUndoing = true
      let counterpart = perform(group)
      isUndoing = false
      push(counterpart, toRedo: true)
      post(.NSUndoManagerDidUndoChange)
    }

    // MARK: Names

    /// Names the open group, which the next action joins; if no group is open, the last group that can be undone.
    open func setActionName(_ actionName: String) { groupToName?.name = actionName }

    /// Sets whether the group that ``setActionName(_:)`` names may be discarded, at the discretion of the undo manager's owner.
    open func setActionIsDiscardable(_ discardable: Bool) { groupToName?.isDiscardable = discardable }

    /// The name of the group that ``undo()`` reverts, or an empty string.
    open var undoActionName: String { nextUndoGroup?.name ?? "" }
    /// The name of the group that ``redo()`` reverts, or an empty string.
    open var redoActionName: String { redoStack.last?.name ?? "" }
    /// Whether the group that ``undo()`` reverts may be discarded.
    open var undoActionIsDiscardable: Bool { nextUndoGroup?.isDiscardable ?? false }
    /// Whether the group that ``redo()`` reverts may be discarded.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// The menu title of the next undo: "Undo", and the action's name.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The menu title of the next redo: "Redo", and the action's name.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the menu title for an action. A subclass may override it to localize the title.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the menu title for an action. A subclass may override it to localize the title.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    // MARK: Implementation

    /// The group that collects the actions that are registered while another group is performed.
    private var counterpartGroup: UndoGroup?

    /// Performs the actions of a group.
    ///
    /// - Returns: A group of the actions that were registered meanwhile.
    private func perform(_ group: UndoGroup) -> UndoGroup {
      let outer = current
      let counterpart = UndoGroup(in: nil)
      counterpart.isDiscardable = group.isDiscardable
      counterpartGroup = counterpart
      current = counterpart
      group.perform()
      while let left = current, left !== counterpart {
        Log.warning("A group that was begun within an undo or redo was not ended there.")
        closeGroup(left)
      }
      current = outer
      counterpartGroup = nil
      if counterpart.name.isEmpty { counterpart.name = group.name }
      return counterpart
    }

    @discardableResult
    private func openGroup(_ group: UndoGroup) -> UndoGroup {
      current = group
      post(.NSUndoManagerDidOpenUndoGroup)
      return group
    }

    private func closeGroup(_ group: UndoGroup) {
      let info = group.isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
      post(.NSUndoManagerWillCloseUndoGroup, info)
      current = group.close()
      if let current { current.append(group) } else { push(group) }
      post(.NSUndoManagerDidCloseUndoGroup, info)
    }

    private func push(_ group: UndoGroup, toRedo: Bool = false) {
      if group.entries.isEmpty { return }
      if toRedo { redoStack.append(group) } else { undoStack.append(group) }
      trimStacks()
    }

    private func trimStacks() {
      if levelsOfUndo <= 0 { return }
      let held = (undoStack, redoStack)
      defer { withExtendedLifetime(held) {} }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    /// Closes the open group before an undo or redo.
    ///
    /// - Returns: Whether the undo or redo can begin.
    private func prepareToPerform(_ what: String) -> Bool {
      if isUndoing || isRedoing {
        Log.warning("\(what) was called within an undo or redo.")
        return false
      }
      post(.NSUndoManagerCheckpoint)
      if let current, current.parent == nil { closeGroup(current) }
      if current == nil { return true }
      Log.warning("\(what) was called while groups are open within groups. Call endUndoGrouping() before.")
      return false
    }

    /// The group that a name applies to.
    private var groupToName: UndoGroup? {
      if current == nil { post(.NSUndoManagerCheckpoint) }
      return current ?? undoStack.last
    }

    private var nextUndoGroup: UndoGroup? {
      if let current, !current.isEmptyWithParents, current !== counterpartGroup {
        return current.name.isEmpty ? current.root : current
      }
      return undoStack.last
    }

    private func post(_ name: Notification.Name, _ info: [String: Bool]? = nil) {
      NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
  }

  extension UndoManager {
    /// Closes the innermost open group, if an action opened it.
    func closeAutomaticGroup() {
      guard let current, current.isAutomatic else { return }
      closeAutomatic(current)
    }

    private func closeAutomatic(_ group: UndoGroup) {
      guard current === group, group.isAutomatic else { return }
      endUndoGrouping()
    }

    /// Closes a group at the next turn of the main queue, as a run loop does at the end of an event.
    private func scheduleClose(of group: UndoGroup) {
      guard MainQueue.isCurrent else { return }
      let turn = ScheduledClose(manager: self, group: group)
      DispatchQueue.main.async { turn.perform() }
    }

    // @unchecked: created and released on the main thread, and an undo manager that is used there belongs to it.
    private struct ScheduledClose: @unchecked Sendable {
      weak var manager: UndoManager?
      weak var group: UndoGroup?

      func perform() { if let manager, let group { manager.closeAutomatic(group) } }
    }
  }
#endif
