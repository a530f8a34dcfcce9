public import Foundation

/// What a server says of a failure (RFC 9457, `application/problem+json`).
///
/// Everything in it comes from the server, and may be private: show it to the user whom it concerns, and log none of it.
public struct ProblemDetails: Sendable, Hashable {
  /// A URI that names the kind of problem; `about:blank` where there is none.
  public var type: String
  /// A short summary of the kind.
  public var title: String?
  /// The status code, as the body has it.
  public var status: Int?
  /// An explanation of this occurrence.
  public var detail: String?
  /// A URI that names this occurrence.
  public var instance: String?
  /// What the body had beside these: texts, numbers and truth values by their names. What is nested is kept as the bytes
  /// of ``HTTPError/body`` alone, except for ``fieldMessages``.
  public var extensions: [String: String]
  /// Messages by the field that they are of: from `errors`, an object of lists as many frameworks write it, or a list of
  /// objects with `pointer`, `field` or `name` and `detail` or `message` or `reason`; or `invalid-params`.
  public var fieldMessages: [String: [String]]

  /// Reads a body.
  ///
  /// Members of another type than they should have are ignored, as section 3.1 of RFC 9457 asks; nil where the body is
  /// no JSON object at all.
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
      // By the number's own type: 0 and 1 would be taken for truth values, too.
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
  /// Whether it was `true` or `false`, which Foundation keeps as a number of the type `char`.
  fileprivate var isBoolean: Bool { objCType.pointee == CChar(UInt8(ascii: "c")) }
}
