#if os(Linux)
  internal import CLarderHTTP

  /// The content codings of a response's body (RFC 9110, section 8.4.1).
  enum ContentCoding: Hashable, Sendable {
    case gzip, deflate, brotli, zstd

    /// The codings that a request accepts, as libcurl writes them.
    static let acceptEncoding = "deflate, gzip, br, zstd"

    /// Creates a coding; nil for any other name, including "identity".
    init?(_ name: Substring) {
      switch ASCIIText.lowercased(name) {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      case "br": self = .brotli
      case "zstd": self = .zstd
      default: return nil
      }
    }

    /// 5, as in libcurl: no legitimate server applies more codings.
    private static let maximumCount = 5

    /// Returns the codings of a `Content-Encoding`, in the order in which they were applied; nil if they cannot be decoded: one is
    /// unknown, or there are too many.
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

    /// Returns the first unknown name in a `Content-Encoding`, in a form safe to show; nil if only their number is the problem.
    static func unknown(in field: String) -> String? {
      for part in field.split(separator: ",") {
        let name = ASCIIText.trimmed(part)
        if name.isEmpty || ASCIIText.equal(name, "identity") || ContentCoding(name) != nil { continue }
        return name.utf8.count <= maximumNameLength && name.utf8.allSatisfy(ASCIIText.isToken) ? String(name) : "?"
      }
      return nil
    }

    /// 40: a longer name is no real coding.
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
