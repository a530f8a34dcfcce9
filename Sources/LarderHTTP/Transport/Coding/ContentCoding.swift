#if os(Linux)
  internal import CLarderHTTP

  /// How a body may be encoded for its way (RFC 9110, section 8.4.1).
  enum ContentCoding: Hashable, Sendable {
    case gzip, deflate, brotli, zstd

    /// What a request accepts, as libcurl writes it.
    static let acceptEncoding = "deflate, gzip, br, zstd"

    /// Nil for a name that is none of them. "identity" is none either.
    init?(_ name: Substring) {
      switch ASCIIText.lowercased(name) {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      case "br": self = .brotli
      case "zstd": self = .zstd
      default: return nil
      }
    }

    /// 5, as in libcurl: nobody means well who encodes more often.
    private static let maximumCount = 5

    /// What `Content-Encoding` says was applied, in that order; nil where that cannot be taken off: something unknown, or
    /// too much.
    static func codings(in field: String) -> [ContentCoding]? {
      var codings: [ContentCoding] = []
      for part in field.split(separator: ",") {
        let name = ASCIIText.trimmed(part)
        if name.isEmpty || ASCIIText.equal(name, "identity") { continue }
        guard let coding = ContentCoding(name), codings.count < maximumCount else { return nil }
        codings.append(coding)
      }
      return codings
    }

    /// The first name in a `Content-Encoding` that cannot be taken off, as it may be shown; nil where it is their number.
    static func unknown(in field: String) -> String? {
      for part in field.split(separator: ",") {
        let name = ASCIIText.trimmed(part)
        if name.isEmpty || ASCIIText.equal(name, "identity") || ContentCoding(name) != nil { continue }
        return name.utf8.count <= maximumNameLength && name.utf8.allSatisfy(ASCIIText.isToken) ? String(name) : "?"
      }
      return nil
    }

    /// 40: what is longer is none that anybody means.
    private static let maximumNameLength = 40

    var code: clh_coding {
      switch self {
      case .gzip: CLH_CODING_GZIP
      case .deflate: CLH_CODING_DEFLATE
      case .brotli: CLH_CODING_BROTLI
      case .zstd: CLH_CODING_ZSTD
      }
    }
  }
#endif
