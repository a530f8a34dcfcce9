import ExampleSupport
import Foundation

@testable import payments_bank

extension BankServer {
  /// Where it is and how it is known, as the program is told. The certificate of its authority is put into the folder.
  func environment(in folder: TemporaryFolder) throws -> [String: String] {
    let authority = folder.url.appending(path: "authority-\(port).pem")
    try self.authority.write(to: authority)
    return [
      "PAYMENTS_URL": url("").absoluteString, "PAYMENTS_PINS": pin, "PAYMENTS_AUTHORITY": authority.path,
    ]
  }
}
