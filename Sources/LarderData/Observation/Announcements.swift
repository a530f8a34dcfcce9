import Observation

/// What observers are to be told when what the context is doing is done.
///
/// An observer may do anything: edit, save, roll back, fetch. In the midst of a rollback, a save, or of taking over what
/// others saved it would find half of that, and what it did would be overwritten, or counted as saved. So the context's
/// own work on objects is done quietly, and observers are told of all of it afterwards. They see what has become of the
/// objects; those of an edit are told before it, as `withObservationTracking` has it.
struct Announcements {
  private(set) var waiting: [(model: any PersistentModel, property: Int)] = []
  private var places: Set<RelationPlace> = []

  var isEmpty: Bool { waiting.isEmpty }

  /// One observer is told once, however often the property changed meanwhile.
  mutating func add(_ model: any PersistentModel, _ property: Int) {
    if places.insert(RelationPlace(model, property)).inserted { waiting.append((model, property)) }
  }

  mutating func take() -> [(model: any PersistentModel, property: Int)] {
    defer { self = Announcements() }
    return waiting
  }
}

extension ContextCore {
  /// Whether the context is at work on objects, so that observers are not told yet.
  var isQuiet: Bool { activity.quietDepth > 0 }

  /// Does work on objects, and tells observers of it when that is done, and all work that it is part of.
  @inline(__always)
  func quietly<Result>(_ work: () throws -> Result) rethrows -> Result {
    beginQuiet()
    defer {
      endQuiet()
      announce()
    }
    return try work()
  }

  /// Reads models for the library's own sake, though somebody may be tracking what he reads: he is not told of changes of
  /// what he has not asked for.
  func unobserved<Result>(_ read: () throws -> Result) rethrows -> Result {
    try during(.readingUnobserved) { try read() }
  }

  @inline(__always)
  func beginQuiet() {
    #if DEBUG
      _workBegins()
    #endif
    activity.beginQuiet()
  }

  /// Whoever ends has the rest announced as soon as all is as it should be.
  @inline(__always)
  func endQuiet() {
    activity.endQuiet()
    #if DEBUG
      _workEnded()
    #endif
  }

  /// Does what had to wait, and tells observers.
  @inline(__always)
  func announce() {
    if activity.quietDepth == 0, !announcements.isEmpty || !relations.waiting.isEmpty { announceAll() }
  }

  @inline(never)
  private func announceAll() {
    carryOutRequests()
    for (model, property) in announcements.take() { model._$announce(property) }
  }
}

extension PersistentModel {
  /// Tells those who observe a property, unless the context is at work: then they are told when that is done.
  ///
  /// - Returns: Whether they were told.
  func _$isToldNow(_ property: Int) -> Bool {
    guard let core = _$header.pointee.state?.core, core.isQuiet else { return true }
    core.announcements.add(self, property)
    return false
  }

  fileprivate func _$announce(_ property: Int) {
    guard let box = _$header.pointee.registrar else { return }
    let observed = type(of: self)._$layout.observed[property]
    observed.willSet(self, box)
    observed.didSet(self, box)
  }
}
