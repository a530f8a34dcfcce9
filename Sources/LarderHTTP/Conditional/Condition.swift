import Foundation

/// What a call is asked by: "only if it is no longer this one".
struct Condition: Sendable {
  /// The request without the condition, of which validators are.
  private let request: HTTPRequest
  /// What it is asked by; nil where everything is fetched.
  private let former: Validators?
  private let scope: String
  private let now: Date

  /// Makes a call conditional, where the validators say anything of what it asks. They come in the place of a condition that
  /// its endpoint has.
  init(of call: inout Call, since validators: Validators?, scope: String, maximumAge: Duration) {
    for name in HTTPRequest.conditions { call.request.headers.remove(name) }
    request = call.request
    self.scope = scope
    now = call.configuration.environment.now()
    let isUsable = validators?.apply(to: request, scope: scope, now: now, maximumAge: maximumAge) ?? false
    former = isUsable ? validators : nil
    former?.condition(&call.request)
  }

  /// The validators that are to be kept, where an answer says that nothing has changed. One that nobody asked for is a
  /// refusal, and does not come here.
  func unchanged(by response: ResponseHead) -> Validators? {
    response.status == 304 ? former?.refreshed(by: response) : nil
  }

  /// What data that has come can be validated by.
  func validators(of response: ResponseHead) -> Validators? {
    Validators(response, to: request, scope: scope, now: now)
  }
}

extension HTTPRequest {
  /// The fields by which it is asked whether something has changed (RFC 9110, sections 13.1.2 and 13.1.3).
  static let conditions = ["If-None-Match", "If-Modified-Since"]

  var hasCondition: Bool { Self.conditions.contains { headers[$0] != nil } }
}
