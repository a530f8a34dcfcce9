package import Foundation
import Synchronization

/// Is cancelled once it was looked at some times.
// @unchecked: as its superclass; its own count is atomic.
package final class ImpatientProgress: Progress, @unchecked Sendable {
  private let looks = Atomic<Int>(0)
  private let patience: Int

  /// How often it was looked at.
  package var count: Int { looks.load(ordering: .relaxed) }

  package init(patience: Int) {
    self.patience = patience
    super.init(parent: nil, userInfo: nil)
  }

  package override var isCancelled: Bool {
    get { looks.add(1, ordering: .relaxed).newValue > patience }
    set { super.isCancelled = newValue }
  }
}
