/// A program's arguments, read one after the other.
public struct Arguments {
  private var rest: ArraySlice<String>
  private var latest = ""

  /// - Parameter arguments: All of them, without the program's name.
  public init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// The next one; nil after the last.
  public mutating func next() -> String? {
    guard let argument = rest.popFirst() else { return nil }
    latest = argument
    return argument
  }

  /// What stands behind the one that ``next()`` gave.
  public mutating func value() throws(Misunderstood) -> String {
    guard let value = rest.first, !value.hasPrefix("--") else {
      throw Misunderstood(description: "\(latest) needs a value.")
    }
    rest.removeFirst()
    return value
  }

  /// Says that the one that ``next()`` gave is none of the program's.
  public func unknown() -> Misunderstood {
    Misunderstood(description: "\(latest) is not known here; --help tells what is.")
  }
}
