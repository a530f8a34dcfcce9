/// What the requests of one call have in common, however an interceptor changes them; one that it makes itself has none.
final class CallMark: Sendable {}
