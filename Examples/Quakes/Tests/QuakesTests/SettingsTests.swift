import ExampleSupport
import Foundation
import Testing

@testable import quakes

@Suite struct SettingsTests {
  @Test func argumentsOutweighVariables() throws {
    let settings = try Settings(
      arguments: ["--port", "0", "--store", "/a/b.store"], environment: ["PORT": "99", "STEP": "0.5", "LIVE": "1"])
    #expect(settings.port == 0)
    #expect(settings.store?.path == "/a/b.store")
    #expect(settings.step == 0.5)
    #expect(settings.isLive && !settings.isOnce)
  }

  @Test func theServiceAsPrintedIsTheDefault() throws {
    #expect(try Settings().client == .urlsession)
    #expect(try Settings(environment: ["CLIENT": "larder"]).client == .larder)
    #expect(
      try Settings(arguments: ["--client", "URLSession"], environment: ["CLIENT": "larder"]).client == .urlsession)
    #expect(Settings.help.contains("--client NAME (CLIENT=NAME)"))
  }

  @Test func emptyVariablesAreNoneAtAll() throws {
    let settings = try Settings(environment: [
      "PORT": "", "STORE": "", "LIVE": "", "ONCE": "0", "STEP": "", "CLIENT": "",
    ])
    #expect(settings == (try Settings()))
    #expect(settings.port == Settings.usualPort)
  }

  @Test(arguments: [
    ["--port", "70000"], ["--port"], ["--step", "0"], ["--step", "nan"], ["--what"], ["--live", "--once"],
    ["--client", "curl"], ["--client"],
  ])
  func misunderstandingsAreSaid(arguments: [String]) {
    #expect(throws: Misunderstood.self) { try Settings(arguments: arguments) }
  }
}
