import Foundation

/// A request that several clients are asked to make, as their users would write it.
struct PeerCase: Sendable, Encodable {
  var method: String
  /// What follows the server's address.
  var target: String
  var headers: [[String]]
  var body: Data?

  /// As many as are wanted, which follow from a seed.
  static func cases(_ count: Int, seed: UInt64) -> [PeerCase] {
    var random = PeerRandom(state: seed)
    return (0..<count).map { _ in PeerCase(&random) }
  }

  private init(_ random: inout PeerRandom) {
    method = random.pick(["GET", "GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PURGE"])
    target = Self.target(&random)
    var headers: [[String]] = []
    for _ in 0..<random.below(4) {
      let name = random.pick(Self.names)
      // A name that is there twice is one that is a list.
      guard name == "X-List" || !headers.contains(where: { $0[0] == name }) else { continue }
      headers.append([name, random.pick(Self.values(of: name))])
    }
    if method != "HEAD", method != "OPTIONS", random.below(method == "GET" ? 12 : 2) == 0 {
      body = Data((0..<random.pick([0, 1, 20, 3_000, 20_000, 100_000])).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      if random.below(3) > 0 {
        headers.append(["Content-Type", random.pick(["application/json", "text/plain; charset=utf-8"])])
      }
    }
    self.headers = headers
  }

  // MARK: - Addresses

  /// None has a colon: behind two slashes, which some of these begin with, requests takes it for a port and gives up.
  private static let segments = [
    "a", "v1", "payments", "~user", "a.b", "a-b_c", "a@b", "a;b=1", "a,b", "$a", "(a)", "a'b", "a!b", "a*b",
    "a+b",
    "a=b", "a&b", "%20", "a%20b", "%2F", "%c3%a9", "%C3%A9", "%41", "%7Euser", "%2e%2e", ".", "..", "", "é", "日本",
    "a|b",
    "a^b", "a`b", "a{b}", "a\"b", "a<b>",
  ]
  private static let items = [
    "a=1", "a", "a=", "=1", "", "a=b+c", "a=%20", "a=%c3%a9", "a=%C3%A9", "a=%41", "a=~", "a=%7E", "a=é", "a=/b?c",
    "a=b:c@d",
    "a='b'", "a=(b)", "a=[b]", "a[]=1", "a={b}", "a|b", "a=b;c", "a=b,c", "a=\"b\"", "a=<b>", "a=b^c", "a=b`c", "a=b=c",
    "a=1",
  ]

  private static func target(_ random: inout PeerRandom) -> String {
    var target = ""
    for _ in 0..<random.below(5) { target += "/" + random.pick(segments) }
    if random.below(2) == 0 {
      target += "?" + (0..<random.below(4)).map { _ in random.pick(items) }.joined(separator: "&")
    }
    if random.below(8) == 0 { target += "#" + random.pick(["", "top", "a/b?c"]) }
    return target
  }

  // MARK: - Fields

  private static let names = [
    "Accept", "Accept-Language", "Authorization", "Cookie", "If-None-Match", "User-Agent", "X-Empty", "X-List",
    "x-lower",
    "X_Under", "X-Unicode", "Accept-Encoding", "Referer", "Range",
  ]

  private static func values(of name: String) -> [String] {
    switch name {
    case "Accept": ["application/json", "text/html, */*;q=0.1"]
    case "Accept-Encoding": ["identity", "gzip"]
    case "Authorization": ["Bearer a.b-c_d~e+f/g=", "Basic dTpw"]
    case "Cookie": ["a=1; b=2"]
    case "If-None-Match": ["\"1\"", "W/\"a\", \"b\""]
    case "Range": ["bytes=0-1"]
    case "Referer": ["http://example.org/a?b"]
    case "User-Agent": ["Larder/1.0 (test)"]
    case "X-Empty": [""]
    case "X-List": ["a", "b", "c d"]
    case "X-Unicode": ["Grüße", "日本"]
    default: ["a", "a b", "a:b", "a;", "\"a\\\"b\"", "{\"a\": 1}", "'a'", "a\tb"]
    }
  }
}

/// Numbers that follow from a seed (a linear congruential generator; its high bits are used).
struct PeerRandom {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
