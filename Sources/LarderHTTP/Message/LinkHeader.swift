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
/// It never fails: a link that cannot be read is left out, and those before and after it are kept. Who follows links
/// counts them, as a server may name the same page for ever, and looks at where they lead: credentials are for one origin.
public struct LinkHeader: Sendable, Hashable, RandomAccessCollection {
  private let links: [WebLink]

  /// Reads a field's value.
  ///
  /// - Parameters:
  ///   - field: One `Link`, or several with commas between them.
  ///   - base: The address that answered, against which relative ones are resolved.
  public init(_ field: String, relativeTo base: URL) { self.init(fields: [Array(field.utf8)], base: base) }

  /// Reads all `Link`s of a header. Each line is read by itself, so that a damaged one does not damage another.
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

  /// The first link of a relation that leads away from what was asked for, and from nothing else (``WebLink/hasResponseContext``).
  ///
  /// - Parameter relation: A name such as `next`, or an address, whatever its case.
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
