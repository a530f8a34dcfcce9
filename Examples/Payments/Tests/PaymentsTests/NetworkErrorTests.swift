import LarderHTTP
import LarderSecrets
import Testing

@testable import payments

/// What a failure of the client means for a payment.
@Suite struct NetworkErrorTests {
  private func meaning(_ kind: HTTPError.Kind, _ delivery: HTTPError.Delivery, status: Int? = nil) -> String {
    "\(NetworkError(HTTPError(kind, delivery: delivery, status: status)))"
  }

  @Test func onlyTheServerItselfSaysThatItWaits() {
    #expect(meaning(.rateLimited(until: nil), .responded, status: 429) == "The server asks to wait")
    // What stands before a server that has booked says so, too.
    #expect(meaning(.rateLimited(until: nil), .responded, status: 503) == "Server error: 503")
  }

  @Test func whatWasNotSentSaysNothingOfTheServer() {
    for status in [408, 429, 500, 503] {
      #expect(meaning(.unacceptableStatus(status), .notSent, status: status) == "The server cannot be reached")
    }
    #expect(meaning(.needsSignIn, .notSent) == "Unauthorized. Please log in again.")
    #expect(meaning(.credentialsUnavailable, .notSent) == "What shows who asks cannot be had")
    #expect(meaning(.pinMismatch(host: "h"), .notSent) == "The server is not who it should be")
  }

  /// A request that had to wait for a token says how that has failed, as far as it is about the line.
  @Test(arguments: [
    (HTTPError(.unacceptableStatus(503), delivery: .responded, status: 503), "The server cannot be reached"),
    (HTTPError(.maybeSent(.closed), delivery: .maybeSent), "The server cannot be reached"),
    (HTTPError(.notSent(.untrustedCertificate), delivery: .notSent), "The server is not who it should be"),
    (HTTPError(.pinMismatch(host: "h"), delivery: .notSent), "The server is not who it should be"),
  ]) func aTokenThatCannotBeGot(_ cause: HTTPError, _ meaning: String) {
    let error = NetworkError(HTTPError(.credentialsUnavailable, delivery: .notSent, underlying: cause))
    #expect("\(error)" == meaning && error.saysThatNothingWasDone)
  }

  /// A secret store that cannot be read says why, and whether waiting helps.
  @Test(arguments: [
    (SecretError.locked, "The keyring is locked", false),
    (.wrongKey(file: "/f"), SecretError.wrongKey(file: "/f").description, true),
    (.corrupted(file: "/f", .truncated), SecretError.corrupted(file: "/f", .truncated).description, true),
  ]) func secretsThatCannotBeRead(_ secret: SecretError, _ words: String, _ lasts: Bool) {
    let cause = CredentialsUnavailableError(secret.summary, advice: secret.advice, underlying: secret)
    let error = NetworkError(
      HTTPError(
        .credentialsUnavailable, delivery: .notSent,
        underlying: HTTPError(.credentialsUnavailable, delivery: .notSent, underlying: cause)
      ))
    guard case .noCredentials(let reason, let isLasting) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(reason == words && isLasting == lasts && error.saysThatNothingWasDone && !error.isAnswer)
  }

  /// What is set up wrongly is no fault of an order's, and is no reason to give it up.
  @Test func aSettingThatIsWrongRefusesNothing() {
    let settings: [InvalidRequest] = [
      .transportSecurity, .trustRoots, .insecureCredentials, .insecurePinnedHost, .recursiveAuthentication,
      .credentials, .url,
    ]
    for reason in settings {
      let error = NetworkError(HTTPError(.invalidRequest(reason), delivery: .notSent))
      #expect("\(error)" == "The way to the server is not set up as it must be" && error.saysThatNothingWasDone)
    }
    for reason in [InvalidRequest.body, .header(name: "x"), .dotSegment, .emptyPathComponent] {
      #expect(meaning(.invalidRequest(reason), .notSent) == "Invalid URL")
    }
  }

  /// After a redirect that says "done", what fails is the question for the answer.
  @Test(arguments: [
    HTTPError.Kind.credentialsUnavailable, .needsSignIn, .unauthorized, .pinMismatch(host: "h"),
    .invalidRequest(.transportSecurity),
    .rateLimited(until: nil), .maybeSent(.untrustedCertificate),
  ]) func whatMayHaveBeenDoneIsNotSaidToBeUndone(_ kind: HTTPError.Kind) {
    let error = NetworkError(HTTPError(kind, delivery: .maybeSent, status: kind == .unauthorized ? 401 : nil))
    #expect("\(error)" == "The server did not answer" && !error.saysThatNothingWasDone)
  }

  @Test func anAnswerThatIsLostIsNone() {
    #expect(meaning(.maybeSent(.closed), .maybeSent) == "The server did not answer")
    #expect(meaning(.deadline(.total), .maybeSent) == "The server did not answer")
    #expect(meaning(.redirect(.tooMany(limit: 0)), .responded, status: 303) == "Invalid response from server")
  }
}
