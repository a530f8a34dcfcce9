import DurabilityWork
import Foundation
import LarderHTTP
import Testing

@Suite struct ProblemDetailsTests {
  private func details(_ json: String) -> ProblemDetails? { ProblemDetails(json: Data(json.utf8)) }

  @Test func whatTheStandardNames() throws {
    let problem = try #require(
      details(
        """
        {"type": "https://example.org/out-of-credit", "title": "Not enough credit.", "status": 403, "detail": "30 of 50.",
         "instance": "/account/1", "balance": 30, "ratio": 0.5, "isFinal": true, "note": "x", "accounts": ["/1"], "n": null}
        """))
    #expect(problem.type == "https://example.org/out-of-credit")
    #expect(problem.title == "Not enough credit.")
    #expect(problem.status == 403)
    #expect(problem.detail == "30 of 50.")
    #expect(problem.instance == "/account/1")
    #expect(problem.extensions["balance"] == "30" && problem.extensions["note"] == "x")
    #expect(problem.extensions["isFinal"] == "true" && problem.extensions["ratio"] == "0.5")
    #expect(problem.extensions["accounts"] == nil && problem.fieldMessages.isEmpty)
  }

  @Test(arguments: [
    #"{"errors": {"amount": ["is too small", "is odd"], "name": ["is missing"]}}"#,
    #"{"errors": [{"field": "amount", "message": "is too small"}, {"field": "amount", "detail": "is odd"}, {"name": "name", "reason": "is missing"}]}"#,
    #"{"invalid-params": [{"name": "amount", "reason": "is too small"}, {"name": "amount", "reason": "is odd"}, {"name": "name", "reason": "is missing"}]}"#,
  ]) func messagesOfFields(_ json: String) {
    #expect(details(json)?.fieldMessages == ["amount": ["is too small", "is odd"], "name": ["is missing"]])
  }

  @Test(arguments: [
    "{}", #"{"type": 7, "title": [], "status": "403", "detail": {}, "instance": null}"#, #"{"status": 9999999}"#,
    #"{"status": -1}"#, #"{"errors": "all of it"}"#, #"{"errors": [1, null, [], {"field": 1}, {"field": "x"}]}"#,
    #"{"errors": {"a": [1], "b": {}, "c": null}}"#,
  ]) func whatIsOfAnotherTypeIsIgnored(_ json: String) throws {
    let problem = try #require(details(json))
    #expect(
      problem.type == "about:blank" && problem.title == nil && problem.status == nil && problem.fieldMessages.isEmpty)
  }

  @Test(arguments: [
    "", "[]", "null", "7", "<html>", "{", #"{"a": }"#, "\u{FEFF}", String(repeating: "[", count: 60_000),
    String(repeating: #"{"a":"#, count: 12_000), #"{"title": ""# + String(repeating: "x", count: 70_000) + "\"}",
  ]) func whatIsNone(_ json: String) { #expect(details(json) == nil) }

  @Test func bytesAtRandom() {
    var random = Share.generator
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<64, using: &random)
      // Bytes that are an object have a chance of one in 2^16 to be found: what counts is that each comes to an end.
      let problem = ProblemDetails(json: Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
      #expect(problem == nil, "LARDER_SEED=\(random.seed)")
    }
  }
}
