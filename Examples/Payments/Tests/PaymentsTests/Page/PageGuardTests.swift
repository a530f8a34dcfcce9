import Foundation
import Testing

@testable import payments

/// Who may see the page, and who may pay by it.
@MainActor @Suite struct PageGuardTests {
  /// DNS rebinding: a site leads its own name to this machine, and a browser takes the page for that site's own.
  @Test func aNameThatWasLedHereIsNotThePages() async throws {
    let scene = try await PageScene(isRunning: false)
    let port = try #require(scene.page.url.port)
    let fields = try scene.fields(of: try await scene.get())
    for host in [
      "bank.example:\(port)", "127.0.0.1.bank.example:\(port)", "bank.example", "127.0.0.1", "localhost",
      "127.0.0.1:\(port ^ 1)", "[::2]:\(port)",
    ] {
      for path in ["/", "/view", "/page.js", "/live.js", "/events"] {
        #expect(try await scene.send(scene.request(path, headers: ["Host": host])).status == 403, "\(host) \(path)")
      }
      let answer = try await scene.post("/pay", fields, headers: ["Host": host])
      #expect(answer.status == 403 && answer.text.contains("http://127.0.0.1:\(port)/"), "\(host)")
      #expect(try await scene.post("/pay", fields, headers: ["Host": host, "Origin": "http://\(host)"]).status == 403)
    }
    #expect(try await scene.container.desk.count().asked == 0)
    for host in ["127.0.0.1:\(port)", "localhost:\(port)", "LocalHost:\(port)", "[::1]:\(port)"] {
      #expect(try await scene.send(scene.request("/", headers: ["Host": host])).status == 200, "\(host)")
    }
    await scene.end()
  }

  @Test func onlyThePageItselfMayPay() async throws {
    let scene = try await PageScene(isRunning: false)
    let port = try #require(scene.page.url.port)
    let fields = try scene.fields(of: try await scene.get())
    for path in ["/pay", "/cancel", "/sync", "/line", "/bank"] {
      for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "null"),
        ("Origin", "https://bank.example"), ("Origin", "https://127.0.0.1:\(port)"),
        ("Origin", "http://127.0.0.1:\(port ^ 1)"), ("Origin", "http://localhost:\(port)"),
      ] {
        #expect(try await scene.post(path, fields, headers: [name: value]).status == 403, "\(path) \(value)")
      }
    }
    #expect(try await scene.container.desk.count().asked == 0)
    // As a browser says it of the page's own form.
    let own = ["Origin": "http://127.0.0.1:\(port)", "Sec-Fetch-Site": "same-origin"]
    #expect(try await scene.post("/pay", fields, headers: own).status == 200)
    #expect(try await scene.container.desk.count().asked == 1)
    await scene.end()
  }
}
