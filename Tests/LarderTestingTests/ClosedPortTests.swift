import Foundation
import LarderTesting
import Testing

@Suite struct ClosedPortTests {
  @Test func itHasAddresses() throws {
    let closed = try ClosedPort()
    let base = closed.url
    #expect(closed.url("/v1/list?page=2").absoluteString == "\(base.absoluteString)/v1/list?page=2")
    #expect(closed.url("/").port == base.port && base.host() == "127.0.0.1")
    #expect([closed].map(\.url) == [base])
  }
}
