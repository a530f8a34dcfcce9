import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets

/// Where the bank is and how it is known, from the environment: nothing of it stands in the code.
struct BankEnvironment: Sendable {
  let baseURL: URL
  /// The key that the bank's host is pinned to, and others that it may have one day.
  let pins: Set<KeyPins.Pin>
  /// Authorities to believe in, in PEM, instead of the system's.
  let authority: Data?
  /// By which its customer signs in; nil where they have before, and the secret store has it.
  let token: Secret?

  /// The variables' names.
  enum Variable: String, CaseIterable {
    case url = "PAYMENTS_URL"
    case pins = "PAYMENTS_PINS"
    case authority = "PAYMENTS_AUTHORITY"
    case token = "PAYMENTS_TOKEN"
  }

  init(_ environment: [String: String]) throws {
    func value(_ variable: Variable) throws -> String {
      guard let value = environment[variable.rawValue], !value.isEmpty else {
        throw Misunderstood(description: "\(variable.rawValue) is not set.")
      }
      return value
    }
    guard let url = URL(string: try value(.url)), url.scheme == "https", url.host != nil else {
      throw Misunderstood(description: "\(Variable.url.rawValue) must be an address that begins with https.")
    }
    baseURL = url
    pins = Set(
      try value(.pins).split(separator: ",").enumerated().map { place, text in
        do {
          return try KeyPins.Pin(base64: text.trimmingCharacters(in: .whitespaces))
        } catch {
          throw Misunderstood(
            description: "\(Variable.pins.rawValue) must hold SHA-256 in Base64, separated by commas. Of number "
              + "\(place + 1): \(error)")
        }
      })
    if pins.isEmpty {
      throw Misunderstood(description: "\(Variable.pins.rawValue) must hold SHA-256 in Base64, separated by commas.")
    }
    authority = try (try? value(.authority)).map { path in
      try Files.read(
        Reading.file(path), "the authority of \(Variable.authority.rawValue)",
        advice: "Name a certificate in PEM, or unset the variable to believe in the system's.")
    }
    token = try? Secret(value(.token))
  }

  /// What carries the requests: the chain must be trusted, the name right, and the key pinned.
  func transport(proxy: CurlTransport.Proxy = .environment) -> CurlTransport {
    var options = CurlTransport.Options()
    options.proxy = proxy
    if let authority { options.authorities = .only(pem: authority) }
    options.pins.pin(baseURL.host ?? "", to: pins)
    return CurlTransport(options: options)
  }
}
