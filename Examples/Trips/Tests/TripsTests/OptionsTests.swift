import ExampleSupport
import Foundation
import Testing

@testable import trips

@Suite struct OptionsTests {
  @Test func argumentsOutweighVariables() throws {
    let settings = try Options(
      arguments: ["--port", "0", "--store", "/a/b.store", "--read"], environment: ["PORT": "99", "ONCE": "1"])
    #expect(settings.port == 0)
    #expect(settings.store?.path == "/a/b.store")
    #expect(settings.mode == .reader)
  }

  @Test func emptyVariablesAreNoneAtAll() throws {
    #expect(try Options(environment: ["PORT": "", "STORE": "", "ONCE": ""]) == Options())
    #expect(try Options(environment: ["ONCE": "1"]).mode == .once)
  }

  @Test(arguments: [["--port", "70000"], ["--port"], ["--what"]])
  func misunderstandingsAreSaid(arguments: [String]) {
    #expect(throws: Misunderstood.self) { try Options(arguments: arguments) }
  }
}
