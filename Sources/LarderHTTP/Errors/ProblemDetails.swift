public import Foundation

/// A server's explanation of a failure (RFC 9457, `application/problem+json`).
///
/// All of it comes from the server, and may be private: show it to the user concerned, and do not log it.
///
/// ```swift
/// if let messages = error.problem?.fieldMessages["email"] { form.show(messages, at: .email) }
/// ```
public struct ProblemDetails: Sendable, Hashable {
  /// A URI that names the kind of problem; `about:blank` where there is none.
  public var type: String
  /// A short summary of the kind.
  public var title: String?
  /// The status code in the body.
  public var status: Int?
  /// An explanation of this occurrence.
  public var detail: String?
  /// A URI that names this occurrence.
  public var instance: String?
  /// The further members: texts, numbers and Boolean values by their names. Nested values are only in ``HTTPError/body``, except
  /// for ``fieldMessages``.
  public var extensions: [String: String]
  /// The messages by field: from `errors`, which is an object of lists, as many frameworks write it, or a list of objects with
  /// `pointer`, `field` or `name` and `detail`, `message` or `reason`; or from `invalid-params`.
  public var fieldMessages: [String: [String]]

  /// Reads a body; nil if it is no JSON object.
  ///
  /// Members of an unexpected type are ignored, as section 3.1 of RFC 9457 requires.
  ///
  /// - Parameter json: The body.
  public init?(json: Data) {
    guard json.count <= HTTPError.errorBodyLimit,
      let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any]
    else { return nil }
    func text(_ name: String) -> String? { object[name] as? String }
    type = text("type") ?? "about:blank"
    title = text("title")
    status = (object["status"] as? Int).flatMap { (100..<600).contains($0) ? $0 : nil }
    detail = text("detail")
    instance = text("instance")
    let standard: Set = ["type", "title", "status", "detail", "instance"]
    extensions = [:]
    for (name, value) in object where !standard.contains(name) {
      switch value {
      case let text as String: extensions[name] = text
      // By the number's own type: otherwise 0 and 1 would be taken for Boolean values.
      case let number as NSNumber: extensions[name] = number.isBoolean ? "\(number.boolValue)" : number.stringValue
      default: continue
      }
    }
    fieldMessages = Self.fieldMessages(in: object["errors"] ?? object["invalid-params"] ?? object["invalid_params"])
  }

  private static func fieldMessages(in value: Any?) -> [String: [String]] {
    var found: [String: [String]] = [:]
    if let lists = value as? [String: Any] {
      for (field, messages) in lists {
        if let one = messages as? String { found[field] = [one] }
        if let several = messages as? [Any] { found[field] = several.compactMap { $0 as? String } }
      }
    }
    for case let entry as [String: Any] in value as? [Any] ?? [] {
      func first(_ names: String...) -> String? { names.lazy.compactMap { entry[$0] as? String }.first }
      guard let field = first("pointer", "field", "name", "path"), let message = first("detail", "message", "reason")
      else { continue }
      found[field, default: []].append(message)
    }
    return found.filter { !$0.value.isEmpty }
  }
}

extension NSNumber {
  /// Whether the number was `true` or `false`, which Foundation stores as a number of the type `char`.
  fileprivate var isBoolean: Bool { objCType.pointee == CChar(UInt8(ascii: "c")) }
}
