import Dispatch

/// Schedules work on the queue that owns the context: the main queue for the main context, the queue of its executor for a
/// model actor's context. Other contexts have no known queue, and no scheduler.
struct ContextScheduler: Sendable {
  let queue: DispatchQueue
  let isMain: Bool

  /// The executor of the model actor. Without it no work is scheduled: its queue no longer protects objects that outlive it.
  private let owner: WeakHandle<DefaultSerialModelExecutor>?

  static var main: ContextScheduler {
    ContextScheduler(queue: .main, isMain: true, owner: nil)
  }

  static func modelActor(_ queue: DispatchQueue, owner: WeakHandle<DefaultSerialModelExecutor>) -> ContextScheduler {
    #if DEBUG
      queue.setSpecific(key: key, value: ObjectIdentifier(queue))
    #endif
    return ContextScheduler(queue: queue, isMain: false, owner: owner)
  }

  #if DEBUG
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the current code runs on the queue, or the queue's owner was released.
    var isCurrent: Bool {
      if isMain { return MainQueue.isCurrent }
      return owner?.object == nil || DispatchQueue.getSpecific(key: ContextScheduler.key) == ObjectIdentifier(queue)
    }
  #endif

  func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
    let turn: @Sendable () -> Void = { [owner] in
      guard let owner else { return work() }
      guard let object = owner.object else { return }
      withExtendedLifetime(object) { work() }
    }
    if seconds <= 0 { return queue.async(execute: turn) }
    queue.asyncAfter(deadline: .now() + seconds, execute: turn)
  }

  /// Runs the work at the end of the program, if that is possible without waiting forever.
  ///
  /// - Returns: Whether the work ran.
  func runAtExit(_ work: @escaping @Sendable () -> Void) -> Bool {
    if isMain, MainQueue.isCurrent {
      work()
      return true
    }
    let done = DispatchSemaphore(value: 0)
    queue.async {
      work()
      done.signal()
    }
    return done.wait(timeout: .now() + 2) == .success
  }
}

extension _ContextCore {
  /// Sets the scheduler of the context's work. The context then merges the commits of other contexts on its own.
  func setScheduler(_ turns: ContextScheduler) {
    self.scheduler = turns
    remoteChanges.setWake { [weakHandle] in turns.schedule(after: 0) { weakHandle.object?.mergeRemoteChangesIfNeeded() }
    }
    for session in sessions { session.store.addListener(remoteChanges) }
    if autosaveEnabled, hasChanges { scheduleAutosave() }
  }
}
