import Foundation
import LarderTesting

/// Why what a server sees of our client differs from what it sees of another. `Documentation/http-requests.md` lists each by
/// this name, with the rule that decides it.
enum PeerDifference: String, CaseIterable {
  case illegalCharacters, escapedUnreserved, hexDigits, dotSegments, emptyQuery
  case userAgent, acceptEncoding, keepAlive, formType, lengthOfNothing

  /// One part of a request that is not the same.
  struct Found: CustomStringConvertible {
    enum Part: Equatable {
      case method, target, body
      case field(String)
    }

    let part: Part
    let ours, theirs: String?

    var description: String {
      "\(part): ours \(ours.map { "\"\($0)\"" } ?? "none"), theirs \(theirs.map { "\"\($0)\"" } ?? "none")"
    }
  }

  /// The reasons for a difference; none where it is not known.
  static func reasons(for found: Found, _ one: PeerCase, _ peer: Peer) -> [PeerDifference] {
    switch (found.part, found.ours, found.theirs) {
    case (.target, let ours?, let theirs?): PeerTarget.reasons(ours, theirs, written: one.target)
    case (.field("user-agent"), nil, _?): [.userAgent]
    case (.field("accept-encoding"), one.has("Range") ? "identity" : "deflate,gzip,br,zstd", _)
    where !one.has("Accept-Encoding"):
      [.acceptEncoding]
    case (.field("connection"), nil, "keep-alive") where peer == .requests: [.keepAlive]
    case (.field("content-type"), nil, "application/x-www-form-urlencoded") where peer == .curl && one.body != nil:
      [.formType]
    case (.field("content-length"), "0", nil), (.field("content-length"), nil, "0"): [.lengthOfNothing]
    default: []
    }
  }
}

extension PeerCase {
  func has(_ name: String) -> Bool { headers.contains { $0[0].lowercased() == name.lowercased() } }
}

extension PeerDifference.Found {
  static func all(of ours: ScriptedServer.RecordedRequest, _ theirs: ScriptedServer.RecordedRequest) -> [Self] {
    var found: [Self] = []
    func compare(_ part: Part, _ left: String?, _ right: String?) {
      if left != right { found.append(Self(part: part, ours: left, theirs: right)) }
    }
    compare(.method, ours.method, theirs.method)
    compare(.target, ours.target, theirs.target)
    // Where the server listens is not the same.
    for name in Set(ours.headers.keys).union(theirs.headers.keys).sorted() where name != "host" {
      compare(.field(name), elements(ours.headers[name]), elements(theirs.headers[name]))
    }
    if ours.body != theirs.body {
      found.append(Self(part: .body, ours: "\(ours.body.count) bytes", theirs: "\(theirs.body.count) bytes"))
    }
    return found
  }

  /// Several fields of one name are the same as one with all their values (RFC 9110, section 5.3).
  private static func elements(_ value: String?) -> String? {
    value?.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ",")
  }
}
