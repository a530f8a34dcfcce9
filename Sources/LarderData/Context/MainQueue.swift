internal import Foundation

/// The turns of the main queue, which correspond on a server to the events of a run loop.
enum MainQueue {
  /// Whether the current code runs on the main queue. The main actor need not be on the main thread: if a program's main
  /// function is async, any thread may serve the main queue.
  static var isCurrent: Bool {
    if Thread.isMainThread { return true }
    _ = marker
    return DispatchQueue.getSpecific(key: key) == true
  }

  private static let key = DispatchSpecificKey<Bool>()
  private static let marker: Void = DispatchQueue.main.setSpecific(key: key, value: true)
}
