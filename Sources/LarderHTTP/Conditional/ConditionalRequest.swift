import Foundation

/// The condition of a call: "only if it is no longer this version".
struct ConditionalRequest: Sendable {
  /// The request without the condition, which the validators belong to.
  private let request: HTTPRequest
  /// The validators that were sent; nil if everything is fetched.
  private let sentValidators: Validators?
  private let scope: String
  private let now: Date

  /// Makes a call conditional, if the validators apply to its request. They replace a condition of the endpoint's own.
  init(of call: inout Call, since validators: Validators?, scope: String, maximumAge: Duration) {
    for name in HTTPRequest.conditionHeaders { call.request.headers.remove(name) }
    request = call.request
    self.scope = scope
    now = call.configuration.dependencies.now()
    let isUsable = validators?.areUsable(for: request, scope: scope, now: now, maximumAge: maximumAge) ?? false
    sentValidators = isUsable ? validators : nil
    sentValidators?.addConditions(to: &call.request)
  }

  /// Returns the validators to keep if the response is "unchanged". A 304 without a condition is an error, and is not passed to
  /// this function.
  func validatorsIfUnchanged(by response: ResponseHead) -> Validators? {
    response.status == 304 ? sentValidators?.refreshed(by: response) : nil
  }

  /// Returns the validators of received data.
  func validators(of response: ResponseHead) -> Validators? {
    Validators(response, to: request, scope: scope, now: now)
  }
}

extension HTTPRequest {
  /// The fields that make a request conditional (RFC 9110, sections 13.1.2 and 13.1.3).
  static let conditionHeaders = ["If-None-Match", "If-Modified-Since"]

  var hasCondition: Bool { Self.conditionHeaders.contains { headers[$0] != nil } }
}
