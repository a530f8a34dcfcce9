import ExampleSupport
import Foundation
import Testing

@testable import payments

@Suite struct PageSettingsTests {
  @Test func thePageIsWhatIsShownUnasked() throws {
    let settings = try Settings()
    #expect(settings.task == .demo && settings.port == 8644 && settings.store == nil)
    #expect(try Settings(environment: ["PORT": "", "STORE": "", "ONCE": "", "SEED": ""]) == settings)
    #expect(try Settings(arguments: ["--port", "0"], environment: ["PORT": "81"]).port == 0)
    #expect(try Settings(environment: ["PORT": "8080"]).port == 8080)
    #expect(try Settings(arguments: ["--once", "--seed", "7"]).task == .once(seed: 7))
    #expect(try Settings(arguments: ["--help"], environment: ["ONCE": "1"]).task == .help)
    #expect(throws: Misunderstood.self) { try Settings(arguments: ["--port", "x"]) }
  }
}
