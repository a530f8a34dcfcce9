/// A live query's registration for commits that may change its result.
package final class QueryObservation: Sendable {
  let dependencies: QueryDependencies
  /// A closure that the saving context calls after its commit. It only records the commit, or schedules work elsewhere.
  let wake: @Sendable () -> Void

  package init(_ dependencies: QueryDependencies, wake: @escaping @Sendable () -> Void) {
    self.dependencies = dependencies
    self.wake = wake
  }
}
