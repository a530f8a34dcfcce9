public import Foundation

/// One link of a `Link` header (RFC 8288): its target, and the target's relation to the response.
///
/// ```swift
/// let next = response.head.links["next"]?.target
/// ```
public struct WebLink: Sendable, Hashable {
  /// A parameter of a link. All parameters of the same name are kept.
  public struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    public let name: String
    /// The value without its quotes and their backslashes; empty for a parameter without a value.
    public let value: String
  }

  /// The URL that the link points to, resolved against that of the response (RFC 3986, section 5). It may have any scheme, and
  /// another origin.
  public let target: URL
  /// The URL that the link starts from: that of the response, or the one in `anchor`.
  public let context: URL
  /// Whether ``context`` is the URL of the response: a link with another anchor concerns another resource.
  public let hasResponseContext: Bool
  /// The relations in lower case, as they are compared: names such as `next`, or URLs. Only the first `rel` counts.
  public let relations: [String]
  /// The parameters in order, including `rel` and `anchor`.
  public let parameters: [Parameter]

  /// The first parameter of a name, in any case; nil if there is none.
  ///
  /// ```swift
  /// link["type"]  // "application/json"
  /// ```
  public subscript(name: String) -> String? {
    parameters.first { ASCIIText.equal($0.name, name) }?.value
  }

  /// The title for display: `title*` if it can be decoded (RFC 8187), else `title`.
  public var title: String? { self["title*"].flatMap(ExtendedValue.decode) ?? self["title"] }

  /// Returns whether the link has a relation, in any case (RFC 8288, section 2.1).
  public func hasRelation(_ relation: String) -> Bool { relations.contains(ASCIIText.lowercased(relation)) }
}

extension WebLink {
  /// Creates a link; nil if its target or its anchor is no valid URL.
  init?(reference: [UInt8], parameters: [Parameter], base: URL) {
    guard let target = URLReference.anyURL(reference, from: base) else { return nil }
    self.target = target
    self.parameters = parameters
    if let anchor = parameters.first(where: { $0.name == "anchor" })?.value {
      guard let context = URLReference.anyURL(Array(anchor.utf8), from: base) else { return nil }
      self.context = context
    } else {
      context = base
    }
    hasResponseContext = context == base || context == URLReference.anyURL([], from: base)
    let relation = parameters.first { $0.name == "rel" }?.value ?? ""
    relations = relation.utf8.split { ASCIIText.isWhitespace($0) }.map { ASCIIText.lowercased(Substring($0)) }
  }
}
