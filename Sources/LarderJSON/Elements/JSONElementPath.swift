/// The place of the elements in a stream.
///
/// ```swift
/// let features: JSONElementPath = "features[*]"    // {"type": …, "features": [ … ]}
/// let rows = JSONElementPath.topLevel              // [ … ], also written "[*]"
/// let lines = JSONElementPath.lines                // one value a line: JSON lines, NDJSON
/// let odd = JSONElementPath(keys: ["data.v1", "items"])
/// ```
public struct JSONElementPath: Sendable, Equatable, ExpressibleByStringLiteral {
  enum Form: Sendable, Equatable {
    case array(keys: [String])
    case lines
  }

  let form: Form

  /// Creates a path to the elements of an array behind a chain of keys, or of the top-level array if there are no keys.
  ///
  /// - Parameter keys: The keys from the top level to the array. A key may contain points.
  public init(keys: [String]) { form = .array(keys: keys) }

  /// Creates a path from keys with points between them, and `[*]` at the end: `data.items[*]`. The `[*]` may be left out.
  public init(_ text: String) {
    let keys = text.hasSuffix("[*]") ? text.dropLast(3) : Substring(text)
    form = .array(keys: keys.split(separator: ".").map(String.init))
  }

  public init(stringLiteral text: String) { self.init(text) }

  /// The elements of the top-level array.
  public static let topLevel = JSONElementPath(keys: [])

  /// The values of JSON lines: one after another, each on a line of its own. Empty lines are skipped.
  public static let lines = JSONElementPath(form: .lines)

  private init(form: Form) { self.form = form }
}

extension JSONElementPath: CustomStringConvertible {
  public var description: String {
    switch form {
    case .lines: "lines"
    case .array(let keys): keys.joined(separator: ".") + "[*]"
    }
  }
}
