internal import Synchronization

// A session has a list of protocol classes, and a protocol has no reference to its session. On Linux, a session adds its header
// fields to a request too late for a protocol to see them. So each stub has a class of its own: one specialization of a generic
// class for each number, and the number is written in types.

extension StubURLProtocol {
  private static let count = Atomic(0)

  /// Returns a class that no other stub has.
  static func makeClass() -> StubURLProtocol.Type {
    func numbered<Number: StubNumber>(_ number: Number.Type) -> StubURLProtocol.Type {
      NumberedStubURLProtocol<Number>.self
    }
    return numbered(digits(of: count.add(1, ordering: .relaxed).newValue))
  }

  private static func digits(of number: Int) -> any StubNumber.Type {
    func zero<Rest: StubNumber>(_ rest: Rest.Type) -> any StubNumber.Type { StubDigitZero<Rest>.self }
    func one<Rest: StubNumber>(_ rest: Rest.Type) -> any StubNumber.Type { StubDigitOne<Rest>.self }
    guard number > 0 else { return StubNumberEnd.self }
    let rest = digits(of: number / 2)
    return number.isMultiple(of: 2) ? zero(rest) : one(rest)
  }
}

private final class NumberedStubURLProtocol<Number: StubNumber>: StubURLProtocol {}

private protocol StubNumber {}
private enum StubNumberEnd: StubNumber {}
private enum StubDigitZero<Rest: StubNumber>: StubNumber {}
private enum StubDigitOne<Rest: StubNumber>: StubNumber {}
