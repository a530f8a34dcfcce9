public import Foundation

/// The validators of a response, for the condition "only if it is no longer this version" (RFC 9110, section 8.8).
///
/// Store them with their data, in the same transaction, and delete them with it:
///
/// ```swift
/// switch try await client.refresh(.get("/v1/payments"), as: [PaymentDTO].self, since: stored) {
/// case .unchanged(let validators): try store(validators)
/// case .changed(let payments, let validators): try store(payments, validators)
/// }
/// ```
///
/// They belong to the URL, to the request's fields by which the response varied, and to the caller's ``scope``: the reader of
/// the data, and its account. If one of these differs, or if the validators are too old, everything is fetched.
public struct Validators: Sendable, Hashable, Codable {
  /// The entity tag as it was received: with its quotes, and `W/` if it is weak.
  public let entityTag: String?
  /// Whether the tag's characters stand for the bytes as received (``HTTPHeaders/Field/bytes``); nil for no.
  private let isTagLatin1: Bool?
  /// The `Last-Modified` as it was received.
  public let lastModified: String?
  /// The date at which the data was last received. A response of "unchanged" does not change it.
  public let fetched: Date
  /// The account of the data and the version of its decoder.
  public let scope: String
  /// A hash of the URL and of the fields by which the response varied.
  let fingerprint: UInt64
  /// The names of the fields by which the response varied.
  let varying: [String]

  /// Whether the tag can protect a change by `If-Match`, which compares strongly (RFC 9110, section 13.1.1).
  public var isStrong: Bool { entityTag.flatMap(EntityTag.init).map { !$0.isWeak } ?? false }
}

extension Validators {
  /// 8 days: readers of feeds have met servers and caches that respond "unchanged" for ever, and have settled on this age.
  public static let defaultMaximumAge = Duration.seconds(8 * 86_400)

  /// Creates the validators of a response; nil if it has none, or varies by more than its request (`Vary: *`).
  init?(_ response: ResponseHead, to request: HTTPRequest, scope: String, now: Date) {
    let tag = response.headers["ETag"].flatMap(EntityTag.init)?.description
    let modified = response.headers["Last-Modified"].flatMap { HTTPDate.date($0) == nil ? nil : $0 }
    guard tag != nil || modified != nil else { return nil }
    let names = (response.headers.combinedValue(for: "Vary") ?? "").split(separator: ",")
      .map { ASCIIText.lowercased(ASCIIText.trimmed($0)) }.filter { !$0.isEmpty }
    guard !names.contains("*") else { return nil }
    entityTag = tag
    isTagLatin1 = Self.isLatin1(response)
    lastModified = modified
    fetched = now
    self.scope = scope
    varying = Set(names).sorted()
    fingerprint = Self.fingerprint(of: request, varying: varying)
  }

  /// Returns true or nil, never false, as in validators that were stored before this property existed.
  private static func isLatin1(_ response: ResponseHead) -> Bool? {
    response.headers.first("ETag")?.isLatin1 == true ? true : nil
  }

  private init(_ old: Validators, entityTag: String?, isTagLatin1: Bool?, lastModified: String?) {
    self.entityTag = entityTag
    self.isTagLatin1 = isTagLatin1
    self.lastModified = lastModified
    fetched = old.fetched
    scope = old.scope
    fingerprint = old.fingerprint
    varying = old.varying
  }

  /// Returns the validators after a response of "unchanged", which may have newer ones (RFC 9111, section 4.3.4).
  func refreshed(by response: ResponseHead) -> Validators {
    let tag = response.headers["ETag"].flatMap(EntityTag.init)?.description
    return Validators(
      self, entityTag: tag ?? entityTag, isTagLatin1: tag == nil ? isTagLatin1 : Self.isLatin1(response),
      lastModified: response.headers["Last-Modified"].flatMap { HTTPDate.date($0) == nil ? nil : $0 } ?? lastModified)
  }

  /// Returns whether the validators apply to a request.
  func areUsable(for request: HTTPRequest, scope: String, now: Date, maximumAge: Duration) -> Bool {
    let age = now.timeIntervalSince(fetched)
    // A date in the future comes from a clock that was wrong.
    return age >= 0 && age <= Double(maximumAge.components.seconds) && scope == self.scope
      && fingerprint == Self.fingerprint(of: request, varying: varying)
  }

  /// Makes a request conditional (RFC 9110, sections 13.1.2 and 13.1.3).
  func addConditions(to request: inout HTTPRequest) {
    if let entityTag {
      request.headers.remove("If-None-Match")
      request.headers.add(
        isTagLatin1 == true
          ? HTTPHeaders.Field(
            name: "If-None-Match", bytes: entityTag.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
          : HTTPHeaders.Field(name: "If-None-Match", value: entityTag))
    } else if let lastModified {
      request.headers["If-Modified-Since"] = lastModified
    }
  }

  /// Returns the FNV-1a hash, which is the same in each process. It includes no credentials, since it is stored: ``scope`` stands
  /// for the account.
  private static func fingerprint(of request: HTTPRequest, varying: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    mix(request.url.absoluteString)
    for name in varying where name != "authorization" && name != "cookie" {
      mix(name)
      mix(request.headers.combinedValue(for: name) ?? "")
    }
    return hash
  }
}
