internal import Foundation

/// The turns of the main queue, which are what the events of a run loop are on a server.
enum MainQueue {
  /// Whether this runs in a turn. The main actor need not be on the main thread: where a program's main function is
  /// async, the main queue is served by any.
  static var isCurrent: Bool {
    if Thread.isMainThread { return true }
    _ = marker
    return DispatchQueue.getSpecific(key: key) == true
  }

  private static let key = DispatchSpecificKey<Bool>()
  private static let marker: Void = DispatchQueue.main.setSpecific(key: key, value: true)
}
