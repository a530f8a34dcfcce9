internal import Foundation

extension ServerFault {
  /// The target of the portal's redirect, and the prefix of redirect loops. The server itself responds at both.
  static let portalPath = "/.portal"
  static let loopPath = "/.loop/"
  static var portalPage: FaultServer.Response {
    .text("<!DOCTYPE html><title>Sign in</title><p>Sign in to use this network.", type: "text/html; charset=utf-8")
  }

  /// Whether the fault repeats an earlier response. Without an earlier response the handler's response is sent.
  var isReplay: Bool { kind == .staleReplay || kind == .duplicatePage }

  /// Returns a response that does not depend on the handler, or `nil` if the handler runs or the fault sends no response.
  func response(to request: ScriptedServer.RecordedRequest, now: Date) -> FaultServer.Response? {
    switch kind {
    case .portal: Self.portalPage
    case .portalRedirect: .status(302, headers: ["Location": Self.portalPath])
    case .redirectLoop(let status): .status(status, headers: ["Location": Self.loopPath + "\(status)"])
    case .redirect(let location, let status): .status(status, headers: ["Location": location])
    case .status(let status, let wait): .json("{}", status: status, headers: wait?.header(now: now) ?? [:])
    case .alwaysUnchanged:
      .status(304, headers: request.headers["if-none-match"].map { ["ETag": $0] } ?? [:])
    case .expiredCursor(let status):
      .text(
        #"{"type":"cursor-expired","title":"The cursor is no longer known.","status":\#(status)}"#,
        type: "application/problem+json", status: status)
    default: nil
    }
  }

  /// Returns the steps that replace a complete response, or `nil` if the response is complete.
  func steps(
    _ answer: FaultServer.Response, to request: ScriptedServer.RecordedRequest, now: Date
  ) -> [ScriptedServer.Step]? {
    let head = answer.head(date: now)
    switch kind {
    case .closeBeforeCommit, .closeAfterCommit: return [.close]
    case .closeWithinHead: return [.sendData(head.prefix(head.count / 2)), .close]
    case .closeBeforeBody: return [.sendData(answer.head(length: max(1, answer.body.count), date: now)), .close]
    case .reset: return [.reset]
    case .stall: return [.stall, .close]
    case .stallWithinBody:
      let half = answer.body.prefix(answer.body.count / 2)
      return [.sendData(answer.head(length: max(1, answer.body.count), date: now) + half), .stall, .close]
    case .drip(let portion, let pause):
      return [.drip(head + (request.method == "HEAD" ? Data() : answer.body), portion: max(1, portion), pause: pause)]
    case .truncated(let count):
      let kept = answer.body.prefix(max(0, count ?? answer.body.count / 2))
      return [.sendData(answer.head(length: max(kept.count + 1, answer.body.count), date: now) + kept), .close]
    case .wrongLength(let bytes):
      return [.sendData(answer.head(length: answer.body.count.adding(bytes), date: now) + answer.body), .close]
    case .noHTTP: return [.send("220 mail.example.org ESMTP\r\n"), .close]
    case .dateSkew(let skew):
      let body = request.method == "HEAD" ? Data() : answer.body
      return [.sendData(answer.head(date: now.addingTimeInterval(skew.inSeconds)) + body)]
    default: return nil
    }
  }

  /// Returns the handler's response with the changes of this fault.
  func changed(_ answer: FaultServer.Response, to request: ScriptedServer.RecordedRequest) -> FaultServer.Response {
    var changed = answer
    switch kind {
    case .truncatedCompression:
      changed = answer.withHeader("Content-Encoding", "gzip")
      changed.body = GzipEncoder.gzip(answer.body).dropLast(12)
    case .compressedBomb(let bytes):
      changed = answer.withHeader("Content-Encoding", "gzip")
      changed.body = GzipEncoder.gzip(zeros: max(1, bytes))
    case .noJSON:
      changed = answer.withHeader("Content-Type", "application/json")
      changed.body = answer.body.isEmpty ? Data("{".utf8) : answer.body.dropLast(1 + answer.body.count / 3)
    case .reorderedPage: changed.body = JSONPage.reversed(answer.body) ?? answer.body
    case .nextLinkLoop(let member):
      changed = answer.withHeader("Link", "<\(request.target)>; rel=\"next\"")
      if let member { changed.body = JSONPage.with(member, request.target, in: answer.body) ?? answer.body }
    default: break
    }
    return changed
  }
}

extension ServerFault.RetryAfter {
  func header(now: Date) -> [String: String] {
    switch self {
    case .seconds(let seconds): ["Retry-After": "\(seconds)"]
    case .date(let after): ["Retry-After": HTTPDateFormatter.text(now.addingTimeInterval(after.inSeconds))]
    case .nonsense(let text): ["Retry-After": text]
    }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension Int {
  /// Returns the sum, clamped to the range from 0 to the largest number.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? (other > 0 ? .max : 0) : Swift.max(0, sum)
  }
}
