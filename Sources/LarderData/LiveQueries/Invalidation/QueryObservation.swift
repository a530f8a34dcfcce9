/// Somebody who is to be told of commits that touch what he reads.
package final class QueryObservation: Sendable {
  let dependencies: QueryDependencies
  /// Called by whoever saved, after his commit: it only notes that, or has something done elsewhere.
  let wake: @Sendable () -> Void

  package init(_ dependencies: QueryDependencies, wake: @escaping @Sendable () -> Void) {
    self.dependencies = dependencies
    self.wake = wake
  }
}
