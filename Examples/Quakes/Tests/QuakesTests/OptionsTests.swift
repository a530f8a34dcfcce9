import ExampleSupport
import Foundation
import Testing

@testable import quakes

@Suite struct OptionsTests {
  @Test func argumentsOutweighVariables() throws {
    let settings = try Options(
      arguments: ["--port", "0", "--store", "/a/b.store"], environment: ["PORT": "99", "STEP": "0.5", "LIVE": "1"])
    #expect(settings.port == 0)
    #expect(settings.store?.path == "/a/b.store")
    #expect(settings.step == 0.5)
    #expect(settings.isLive && !settings.isOnce)
  }

  @Test func theServiceAsPrintedIsTheDefault() throws {
    #expect(try Options().client == .urlsession)
    #expect(try Options(environment: ["CLIENT": "larder"]).client == .larder)
    #expect(
      try Options(arguments: ["--client", "URLSession"], environment: ["CLIENT": "larder"]).client == .urlsession)
    #expect(Options.help.contains("--client NAME (CLIENT=NAME)"))
  }

  @Test func emptyVariablesAreNoneAtAll() throws {
    let settings = try Options(environment: [
      "PORT": "", "STORE": "", "LIVE": "", "ONCE": "0", "STEP": "", "CLIENT": "",
    ])
    #expect(settings == (try Options()))
    #expect(settings.port == Options.usualPort)
  }

  @Test(arguments: [
    ["--port", "70000"], ["--port"], ["--step", "0"], ["--step", "nan"], ["--what"], ["--live", "--once"],
    ["--client", "curl"], ["--client"],
  ])
  func misunderstandingsAreSaid(arguments: [String]) {
    #expect(throws: Misunderstood.self) { try Options(arguments: arguments) }
  }
}
