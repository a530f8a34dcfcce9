public import Foundation

/// What a response can be asked for again by: "only if it is no longer this one" (RFC 9110, section 8.8).
///
/// Keep them with the data that they validate, in the same transaction, and lose them with it:
///
/// ```swift
/// switch try await client.refresh(.get("/v1/payments"), as: [PaymentDTO].self, since: stored) {
/// case .unchanged(let validators): try store(validators)
/// case .changed(let payments, let validators): try store(payments, validators)
/// }
/// ```
///
/// They belong to the address, to the fields of the request by which the response varied, and to the
/// ``scope`` that the caller gives: what reads the data, and for whom. Where one of these is another, or the validators
/// are old, everything is fetched.
public struct Validators: Sendable, Hashable, Codable {
  /// The entity tag, as it came: with its quotes, and `W/` where it is weak.
  public let entityTag: String?
  /// Whether its characters stand for the bytes in which it came (``HTTPHeaders/Field/bytes``); nil for no.
  private let isTagLatin1: Bool?
  /// The `Last-Modified` that came.
  public let lastModified: String?
  /// When the data itself last came; an answer that it is unchanged does not move this.
  public let fetched: Date
  /// What the data was decoded by and for: an account, a version of the decoder.
  public let scope: String
  /// Of the address and of the fields that the response varied by.
  let fingerprint: UInt64
  /// The names of these fields.
  let varying: [String]

  /// Whether the tag can guard a change by `If-Match`, which compares strongly (RFC 9110, section 13.1.1).
  public var isStrong: Bool { entityTag.flatMap(EntityTag.init).map { !$0.isWeak } ?? false }
}

extension Validators {
  /// 8 days: servers and caches that answer "unchanged" for ever are met by readers of feeds, who found this age.
  public static let defaultMaximumAge = Duration.seconds(8 * 86_400)

  /// What a response can be validated by; nil where it has nothing, or varies by more than its request (`Vary: *`).
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

  /// Nil for no, as in what was stored before there was such a thing.
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

  /// The validators after an answer that nothing has changed, which may bring newer ones (RFC 9111, section 4.3.4).
  func refreshed(by response: ResponseHead) -> Validators {
    let tag = response.headers["ETag"].flatMap(EntityTag.init)?.description
    return Validators(
      self, entityTag: tag ?? entityTag, isTagLatin1: tag == nil ? isTagLatin1 : Self.isLatin1(response),
      lastModified: response.headers["Last-Modified"].flatMap { HTTPDate.date($0) == nil ? nil : $0 } ?? lastModified)
  }

  /// Whether they say anything of what a request asks.
  func areUsable(for request: HTTPRequest, scope: String, now: Date, maximumAge: Duration) -> Bool {
    let age = now.timeIntervalSince(fetched)
    // What comes from the future is of a clock that was wrong.
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

  /// FNV-1a, which is the same in each process. Credentials are not in it, since it is stored: ``scope`` stands for the
  /// account.
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
