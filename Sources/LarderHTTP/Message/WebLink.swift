public import Foundation

/// One link of a `Link` header (RFC 8288): where it leads, and how that is related to what was asked for.
///
/// ```swift
/// let next = response.head.links["next"]?.target
/// ```
public struct WebLink: Sendable, Hashable {
  /// A parameter of a link, as it came: of several with one name all are kept.
  public struct Parameter: Sendable, Hashable {
    /// In lower case.
    public let name: String
    /// Without quotes and the backslashes within them; empty where the parameter is its name alone.
    public let value: String
  }

  /// Where it leads: resolved against the address that answered (RFC 3986, section 5). It may be of any scheme, and another
  /// origin.
  public let target: URL
  /// What it leads away from: the address that answered, or the one that `anchor` names.
  public let context: URL
  /// Whether ``context`` is the address that answered: what has an anchor elsewhere speaks of something else.
  public let hasResponseContext: Bool
  /// The relations, in lower case, as they are compared: names such as `next`, or addresses. Only the first `rel` counts.
  public let relations: [String]
  /// The parameters in their order, `rel` and `anchor` among them.
  public let parameters: [Parameter]

  /// The first parameter of a name, whatever its case; nil where there is none.
  ///
  /// ```swift
  /// link["type"]  // "application/json"
  /// ```
  public subscript(name: String) -> String? {
    parameters.first { ASCIIText.equal($0.name, name) }?.value
  }

  /// What a person may be shown: `title*` where that can be read (RFC 8187), else `title`.
  public var title: String? { self["title*"].flatMap(ExtendedValue.decode) ?? self["title"] }

  /// Whether it has a relation, whatever its case (RFC 8288, section 2.1).
  public func hasRelation(_ relation: String) -> Bool { relations.contains(ASCIIText.lowercased(relation)) }
}

extension WebLink {
  /// A link whose target, or anchor, is no address is none.
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
