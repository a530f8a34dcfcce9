import ExampleSupport
import Foundation
import Testing

@testable import payments

@Suite struct PageOptionsTests {
  @Test func thePageIsWhatIsShownUnasked() throws {
    let settings = try Options()
    #expect(settings.task == .demo && settings.port == 8644 && settings.store == nil)
    #expect(try Options(environment: ["PORT": "", "STORE": "", "ONCE": "", "SEED": ""]) == settings)
    #expect(try Options(arguments: ["--port", "0"], environment: ["PORT": "81"]).port == 0)
    #expect(try Options(environment: ["PORT": "8080"]).port == 8080)
    #expect(try Options(arguments: ["--once", "--seed", "7"]).task == .once(seed: 7))
    #expect(try Options(arguments: ["--help"], environment: ["ONCE": "1"]).task == .help)
    #expect(throws: Misunderstood.self) { try Options(arguments: ["--port", "x"]) }
    #expect(try Options(environment: ["ORDER": "7"]).order == 7)
    #expect(try Options(arguments: ["--order", "8"], environment: ["ORDER": "7"]).order == 8)
    #expect(throws: Misunderstood.self) { try Options(environment: ["ORDER": "soon"]) }
  }

  @Test func twoThingsAtATimeAreRefused() throws {
    let tasks = [
      ["--once"], ["--pay", "drafts.json"], ["--sign-in"], ["--refused"], ["--put-away", "all"], ["--put-away-all"],
    ]
    for one in tasks {
      #expect(try Options(arguments: one).task != .demo)
      #expect(throws: Never.self) { try Options(arguments: one + one) }
      for other in tasks where one != other {
        let error = #expect(throws: Misunderstood.self) { try Options(arguments: one + other) }
        #expect(error?.description == "\(one[0]) and \(other[0]) ask for two things: give one of them.")
      }
    }
    #expect(throws: Misunderstood.self) { try Options(arguments: ["--refused"], environment: ["ONCE": "1"]) }
    #expect(try Options(arguments: ["--once"], environment: ["ONCE": "1", "SEED": "3"]).task == .once(seed: 3))
  }

  /// Whatever can be asked for is in the help.
  @Test func helpIsWhole() throws {
    let settings = try #require(Sources.all().first { $0.name == "Options.swift" }).text
    let arguments = Set(settings.matches(of: /case "(--[a-z-]+)"/).map { String($0.output.1) })
    let variables =
      ["PORT", "STORE", "ORDER", "ONCE", "SEED", Payer.secretKey] + BankEnvironment.Variable.allCases.map(\.rawValue)
    #expect(arguments.count == 11)
    for word in arguments.union(variables) { #expect(Options.help.contains(word), "\(word)") }
  }
}
