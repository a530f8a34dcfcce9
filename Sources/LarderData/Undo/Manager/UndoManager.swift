#if !canImport(ObjectiveC)
  public import Foundation

  /// Foundation's `UndoManager`, which Foundation has on Apple's systems only: a stack of closures that take changes back.
  ///
  /// Give one to a context, and what changes there can be undone:
  ///
  /// ```swift
  /// let undoManager = UndoManager()
  /// context.undoManager = undoManager
  /// trip.name = "Rome"
  /// try context.save()
  /// undoManager.undo()  // trip.name is what it was
  /// try context.save()
  /// ```
  ///
  /// Anybody may register what else there is to take back. While it is taken back, what is registered is for the redo:
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
  /// One undo takes back a whole group. Where none is open the first action opens one. There need not be a run loop that
  /// would close it, so "by event" means by turn: a group that was opened on the main thread is closed at the next turn
  /// of the main queue. Anywhere the next save of a context closes it, or ``undo()``, or ``beginUndoGrouping()``: a group
  /// that somebody begins stands by itself, and not within one that was opened for the turn.
  ///
  /// Groups in which nothing was registered leave nothing to undo. Targets are held weakly: of one that has gone nothing
  /// is taken back. Where Foundation raises an exception, nothing happens, and the log says so.
  ///
  /// An undo manager belongs to one thread or actor at a time, as a context does.
  open class UndoManager: NSObject {
    // The innermost group that is open.
    private(set) var current: UndoGroup?
    private(set) var undoStack: [UndoGroup] = []
    private(set) var redoStack: [UndoGroup] = []
    private var disableCount = 0

    /// Makes an undo manager with nothing to undo.
    public override init() { super.init() }

    /// Whether a group is opened for the first action where none is open. True unless it is set.
    open var groupsByEvent = true

    /// How many undos are kept at most; 0, which it is unless it is set, for all.
    open var levelsOfUndo = 0 { didSet { trimStacks() } }

    /// Whether an undo is under way.
    open private(set) var isUndoing = false
    /// Whether a redo is under way.
    open private(set) var isRedoing = false

    // MARK: Registering

    /// Registers what takes a change back.
    ///
    /// - Parameters:
    ///   - target: What the change was made in; it is held weakly.
    ///   - handler: Called with the target, which should not be captured besides.
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

    /// Whether what is registered is kept.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Keeps nothing that is registered from now on, until ``enableUndoRegistration()`` was called as often as this.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Keeps what is registered again.
    open func enableUndoRegistration() {
      if disableCount == 0 {
        return Log.warning("enableUndoRegistration() was called without disableUndoRegistration().")
      }
      disableCount -= 1
    }

    /// Forgets all that can be undone and redone, and keeps what is registered from now on.
    open func removeAllActions() {
      let held = (undoStack, redoStack, current?.removeAll())
      undoStack.removeAll()
      redoStack.removeAll()
      disableCount = 0
      withExtendedLifetime(held) {}
    }

    /// Forgets what was registered with a target.
    open func removeAllActions(withTarget target: Any) {
      let identifier = ObjectIdentifier(target as AnyObject)
      let held = (undoStack, redoStack)
      var removed: [UndoAction] = []
      undoStack = undoStack.filter { $0.removeActions(of: identifier, &removed) }
      redoStack = redoStack.filter { $0.removeActions(of: identifier, &removed) }
      current?.removeActions(of: identifier, &removed)
      withExtendedLifetime((held, removed)) {}
    }

    /// What is forgotten may be the last to know of an object, whose end may ask for what is there to undo: whoever forgets
    /// holds it until that is done.
    private func clearRedoStack() {
      let held = redoStack
      redoStack.removeAll()
      withExtendedLifetime(held) {}
    }

    // MARK: Groups

    /// How many groups are open, one within the other.
    open var groupingLevel: Int { current?.depth ?? 0 }

    /// Opens a group, which one undo takes back as a whole. Groups may be opened within groups.
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
      // Who is told may have closed it.
      if current === group { closeGroup(group) }
    }

    // MARK: Undo and redo

    /// Whether there is anything to undo.
    open var canUndo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !undoStack.isEmpty || current?.isEmptyWithParents == false
    }

    /// Whether there is anything to redo: what was undone, unless anything was changed since.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// Takes back the last group, which is closed if it is open.
    open func undo() {
      guard prepareToPerform("undo()") else { return }
      undoNestedGroup()
    }

    /// Takes back the last group that was closed, within one that is open or not.
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

    /// Takes back what the last undo did.
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

    /// Names what is to be undone: the group that is open, with what is about to be registered; else the last one.
    open func setActionName(_ actionName: String) { groupToName?.name = actionName }

    /// Says whether the same group may be discarded, as an undo manager's owner sees fit.
    open func setActionIsDiscardable(_ discardable: Bool) { groupToName?.isDiscardable = discardable }

    /// The name of what ``undo()`` takes back; empty if it has none.
    open var undoActionName: String { nextUndoGroup?.name ?? "" }
    /// The name of what ``redo()`` takes back; empty if it has none.
    open var redoActionName: String { redoStack.last?.name ?? "" }
    /// Whether what ``undo()`` takes back may be discarded.
    open var undoActionIsDiscardable: Bool { nextUndoGroup?.isDiscardable ?? false }
    /// Whether what ``redo()`` takes back may be discarded.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// "Undo", and the action's name.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// "Redo", and the action's name.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title for an action; a subclass may say it in another language.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title for an action; a subclass may say it in another language.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    // MARK: Inside

    /// The group that collects what is registered while another is performed.
    private var counterpartGroup: UndoGroup?

    /// - Returns: What was registered meanwhile.
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

    /// Closes what is open, if an undo or redo can be begun then.
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

    /// What a name is for.
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
    /// Closes the group that was opened for an action, if one is open.
    func closeAutomaticGroup() {
      guard let current, current.isAutomatic else { return }
      closeAutomatic(current)
    }

    private func closeAutomatic(_ group: UndoGroup) {
      guard current === group, group.isAutomatic else { return }
      endUndoGrouping()
    }

    /// As the end of an event in a run loop would.
    private func scheduleClose(of group: UndoGroup) {
      guard MainQueue.isCurrent else { return }
      let turn = ScheduledClose(manager: self, group: group)
      DispatchQueue.main.async { turn.perform() }
    }

    // @unchecked: made on the main thread and ended there, and an undo manager that is used on it belongs to it.
    private struct ScheduledClose: @unchecked Sendable {
      weak var manager: UndoManager?
      weak var group: UndoGroup?

      func perform() { if let manager, let group { manager.closeAutomatic(group) } }
    }
  }
#endif
