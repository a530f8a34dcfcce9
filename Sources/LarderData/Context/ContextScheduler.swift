import Dispatch

/// How a context is reached in its own isolation when nobody is just calling it: by a turn of the queue that its work runs
/// on. The main context's is the main queue, a model actor's the queue of its executor; of other contexts nobody knows.
struct ContextScheduler: Sendable {
  let queue: DispatchQueue
  let isMain: Bool

  /// Without it there are no turns any more: nobody keeps others away from objects that outlive a model actor.
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

    /// Whether this runs in a turn, or there are no turns any more.
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

  /// Runs the work now, if that can be had without waiting for ever: at the end of the program.
  ///
  /// - Returns: Whether it ran.
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
  /// Says where the context's work runs. What others save is then taken over without being asked for.
  func setScheduler(_ turns: ContextScheduler) {
    self.scheduler = turns
    remoteChanges.setWake { [weakHandle] in turns.schedule(after: 0) { weakHandle.object?.mergeRemoteChangesIfNeeded() }
    }
    for session in sessions { session.store.addListener(remoteChanges) }
    if autosaveEnabled, hasChanges { scheduleAutosave() }
  }
}
