import Foundation

/// What a call is asked by: "only if it is no longer this one".
struct ConditionalRequest: Sendable {
  /// The request without the condition, of which validators are.
  private let request: HTTPRequest
  /// What it is asked by; nil where everything is fetched.
  private let sentValidators: Validators?
  private let scope: String
  private let now: Date

  /// Makes a call conditional, where the validators say anything of what it asks. They come in the place of a condition that
  /// its endpoint has.
  init(of call: inout Call, since validators: Validators?, scope: String, maximumAge: Duration) {
    for name in HTTPRequest.conditionHeaders { call.request.headers.remove(name) }
    request = call.request
    self.scope = scope
    now = call.configuration.dependencies.now()
    let isUsable = validators?.areUsable(for: request, scope: scope, now: now, maximumAge: maximumAge) ?? false
    sentValidators = isUsable ? validators : nil
    sentValidators?.addConditions(to: &call.request)
  }

  /// The validators that are to be kept, where an answer says that nothing has changed. One that nobody asked for is a
  /// refusal, and does not come here.
  func validatorsIfUnchanged(by response: ResponseHead) -> Validators? {
    response.status == 304 ? sentValidators?.refreshed(by: response) : nil
  }

  /// What data that has come can be validated by.
  func validators(of response: ResponseHead) -> Validators? {
    Validators(response, to: request, scope: scope, now: now)
  }
}

extension HTTPRequest {
  /// The fields by which it is asked whether something has changed (RFC 9110, sections 13.1.2 and 13.1.3).
  static let conditionHeaders = ["If-None-Match", "If-Modified-Since"]

  var hasCondition: Bool { Self.conditionHeaders.contains { headers[$0] != nil } }
}
