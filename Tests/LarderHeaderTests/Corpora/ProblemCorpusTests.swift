import Foundation
import LarderHTTP
import Testing

@Suite struct ProblemCorpusTests {
  @Test(arguments: ProblemCorpus.all) func corpus(_ one: ProblemCase) throws {
    let problem = try #require(ProblemDetails(json: Data(one.json.utf8)), "\(one.json)")
    #expect(problem.type == one.type && problem.title == one.title && problem.status == one.status, "\(one.json)")
    #expect(problem.detail == one.detail && problem.instance == one.instance, "\(one.json)")
    #expect(problem.extensions == one.extensions, "\(one.json)")
    #expect(problem.fieldMessages == one.fields, "\(one.json)")
  }

  @Test(arguments: ProblemCorpus.none) func whatIsNone(_ json: String) {
    #expect(ProblemDetails(json: Data(json.utf8)) == nil, "\(json)")
  }

  @Test func thereAreAHundred() { #expect(ProblemCorpus.all.count + ProblemCorpus.none.count >= 100) }
}
