public import Foundation

/// The links of a response (`Link`, RFC 8288), by which APIs name the next page, among other things.
///
/// ```swift
/// var page: URL? = client.baseURL.appending(path: "v1/payments")
/// while let url = page {
///   let response = try await client.response(to: HTTPRequest(.get, url))
///   page = response.head.links["next"]?.target
/// }
/// ```
///
/// Parsing never fails: an unreadable link is skipped, and the links before and after it are kept. When you follow links,
/// count them, since a server may name the same page for ever, and check their origin: credentials are for one origin.
public struct LinkHeader: Sendable, Hashable, RandomAccessCollection {
  private let links: [WebLink]

  /// Reads a field's value.
  ///
  /// - Parameters:
  ///   - field: One `Link`, or several separated by commas.
  ///   - base: The URL of the response, against which relative links are resolved.
  public init(_ field: String, relativeTo base: URL) { self.init(fields: [Array(field.utf8)], base: base) }

  /// Reads all `Link` fields of a header. Each field is parsed separately, so that a damaged one does not affect another.
  init(fields: [[UInt8]], base: URL) {
    links = fields.flatMap { field in
      var parser = LinkHeaderParser(field)
      var found: [WebLink] = []
      while let link = parser.next() {
        if let link = WebLink(reference: link.reference, parameters: link.parameters, base: base) { found.append(link) }
      }
      return found
    }
  }

  /// The first link of a relation whose context is the response itself (``WebLink/hasResponseContext``).
  ///
  /// - Parameter relation: A name such as `next`, or a URL, in any case.
  public subscript(relation: String) -> WebLink? { links.first { $0.hasResponseContext && $0.hasRelation(relation) } }

  public var startIndex: Int { links.startIndex }
  public var endIndex: Int { links.endIndex }
  public subscript(position: Int) -> WebLink { links[position] }
}

extension ResponseHead {
  /// The links of the response, their targets resolved against ``url``.
  public var links: LinkHeader {
    LinkHeader(fields: headers.fields.filter { ASCIIText.equal($0.name, "Link") }.map(\.bytes), base: url)
  }
}
