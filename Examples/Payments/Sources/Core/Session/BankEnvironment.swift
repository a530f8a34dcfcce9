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
    baseURL = try Self.address(value(.url))
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
    authority = try (try? value(.authority)).map { try Self.authority(at: Reading.file($0)) }
    token = try? Secret(value(.token))
  }

  /// What is wrong is said before anything is asked.
  private static func address(_ text: String) throws -> URL {
    guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host?.isEmpty == false,
      url.port.map({ (1...65_535).contains($0) }) ?? true
    else {
      throw Misunderstood(description: "\(Variable.url.rawValue) must be an address that begins with https.")
    }
    guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
      throw Misunderstood(
        description: "\(Variable.url.rawValue) must have no name or password, no ? and no #: what signs in is "
          + "\(Variable.token.rawValue).")
    }
    return url
  }

  private static func authority(at file: URL) throws -> Data {
    let what = "the authority of \(Variable.authority.rawValue)"
    let advice = "Name a certificate in PEM, or unset the variable to believe in the system's."
    let pem = try Files.read(file, what, advice: advice)
    guard pem.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw FileTrouble(file, what, "has no certificate in it", advice: advice)
    }
    return pem
  }

  /// What carries the requests: the chain must be trusted, the name right, and the key pinned.
  func transport(proxy: CurlTransport.Proxy = .environment) throws -> CurlTransport {
    var options = CurlTransport.Options()
    options.proxy = proxy
    if let authority { options.trustRoots = .only(pem: authority) }
    try options.pins.pin(baseURL.host ?? "", to: pins)
    return CurlTransport(options: options)
  }
}
