import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTool
import SwiftData
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a stream has said so far.
private final class Events: NSObject, URLSessionDataDelegate, Sendable {
  private let received = Mutex("")
  var text: String { received.withLock { $0 } }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    received.withLock { $0 += String(decoding: data, as: UTF8.self) }
  }
}

/// The page of `larder browse`, asked as a browser asks it.
@Suite(.serialized) struct BrowseTests {
  private let folder: WorkFolder
  private let browser: StoreBrowser

  init() throws {
    folder = try WorkFolder()
    try Fleet.fill(folder.file("fleet.store"))
    var options = SQLiteStore.Options(url: folder.file("fleet.store"))
    options.isReadOnly = true
    browser = try StoreBrowser(try SQLiteStore.open(options, layouts: []), path: folder.path("fleet.store"))
  }

  private func get(_ address: String, host: String? = nil) async throws -> (
    status: Int, text: String, answer: HTTPURLResponse
  ) {
    var request = URLRequest(url: try #require(URL(string: address.isEmpty ? "./" : address, relativeTo: browser.url)))
    if let host { request.setValue(host, forHTTPHeaderField: "Host") }
    let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    return (answer.statusCode, String(decoding: data, as: UTF8.self), answer)
  }

  @Test func modelsRowsAndRelationshipsAreShown() async throws {
    defer { browser.stop() }
    let overview = try await get("")
    #expect(overview.status == 200)
    for part in ["<a href=\"rows?entity=Vessel\">Vessel</a>", "<td class=\"number\">15</td>", "inherits from Cargo"] {
      #expect(overview.text.contains(part), "\(overview.text)")
    }
    let rows = try await get("rows?entity=Vessel")
    #expect(rows.text.ranges(of: "<th scope=\"row\">").count == 15)
    #expect(rows.text.contains("Åland") == true && rows.text.contains("9223372036854775807"))
    let context = ModelContext(try Fleet.open(folder.file("fleet.store")))
    let vessel = try #require(
      try context.fetch(FetchDescriptor<Vessel>(predicate: #Predicate { $0.name == "v3" })).first)
    let found = try await get("rows?entity=Vessel&filter=V3")
    #expect(found.text.ranges(of: "<th scope=\"row\">").count == 1)
    let address = try #require(found.text.firstMatch(of: /href="(row\?entity=Vessel&amp;id=\d+)"/)).output.1.description
    let row = try await get(address.replacing("&amp;", with: "&"))
    #expect(row.status == 200 && row.text.contains("100000 bytes"))
    for member in vessel.crew { #expect(row.text.contains(member.name)) }
    for cargo in vessel.cargo { #expect(row.text.contains(">\(cargo.label) (")) }
    #expect(row.text.contains("href=\"row?entity=Sailor&amp;id="))
    // From the other end, and of a subclass.
    let crane = try await get("rows?entity=Crane&filter=k3")
    let other = try #require(crane.text.firstMatch(of: /href="(row\?entity=Crane&amp;id=\d+)"/)).output.1.description
    #expect(try await get(other.replacing("&amp;", with: "&")).text.contains(">v3 ("))
    #expect(try await get("rows?entity=Cargo").text.ranges(of: "<th scope=\"row\">").count == 12)
    #expect(try await get("rows?entity=Crane").text.ranges(of: "<th scope=\"row\">").count == 6)
    // A pattern's characters are themselves.
    #expect(try await get("rows?entity=Vessel&filter=%25").text.contains("No row has that"))
    // Also where an accent follows them, so that they are no character of their own.
    vessel.notes = "e\u{301}"
    try context.save()
    #expect(try await get("rows?entity=Vessel&filter=%5F%CC%81").text.contains("No row has that"))
    #expect(try await get("rows?entity=Vessel&filter=e%CC%81").text.ranges(of: "<th scope=\"row\">").count == 1)
    for nothing in ["rows?entity=Nobody", "row?entity=Vessel&id=999999", "row?entity=Vessel", "elsewhere"] {
      #expect(try await get(nothing).status == 404, "\(nothing)")
    }
  }

  @Test func manyRowsComeInPages() async throws {
    defer { browser.stop() }
    do {
      let context = ModelContext(try Fleet.open(folder.file("fleet.store")))
      for number in 0..<250 { context.insert(Sailor("s\(number)")) }
      try context.save()
    }
    var address = "rows?entity=Sailor&filter=s"
    var seen = 0
    for _ in 0..<3 {
      let page = try await get(address)
      seen += page.text.ranges(of: "<th scope=\"row\">").count
      guard let next = page.text.firstMatch(of: /rel="next" href="([^"]+)"/) else { break }
      address = String(next.output.1).replacing("&amp;", with: "&")
    }
    #expect(seen == 253)
  }

  /// Nothing of a store becomes markup, whatever its names and values are.
  @Test func whatTheStoreSaysNeverBecomesMarkup() async throws {
    defer { browser.stop() }
    let hostile = #""><script>alert(1)</script>'&\#u{202E}"#
    let context = ModelContext(try Fleet.open(folder.file("fleet.store")))
    let vessel = Vessel(hostile, notes: hostile)
    context.insert(vessel)
    vessel.crew = [Sailor(hostile)]
    try context.save()
    for address in ["rows?entity=Vessel", "rows?entity=Sailor", "rows?entity=Vessel&filter=%3Cscript%3E%22"] {
      let page = try await get(address)
      #expect(!page.text.contains("<script>alert") && !page.text.contains("\u{202E}"))
    }
    let page = try await get("rows?entity=Vessel&filter=alert")
    let address = try #require(page.text.firstMatch(of: /href="(row\?entity=Vessel&amp;id=\d+)"/)).output.1.description
    let row = try await get(address.replacing("&amp;", with: "&"))
    #expect(row.text.contains("&lt;script&gt;alert(1)") && !row.text.contains("<script>alert"))
  }

  @Test func onlyWhoKnowsTheAddressIsAnswered() async throws {
    defer { browser.stop() }
    let (port, token) = (try #require(browser.url.port), browser.url.pathComponents.last ?? "")
    #expect(browser.url.host == "127.0.0.1" && token.count > 20)
    for path in ["/", "/rows?entity=Vessel", "/0\(token.dropFirst())0/", "/events"] {
      #expect(try await get("http://127.0.0.1:\(port)\(path)").status == 404, "\(path)")
    }
    for address in ["", "rows?entity=Vessel", "style.css", "live.js"] {
      let answer = try await get(address).answer
      let policy = answer.value(forHTTPHeaderField: "Content-Security-Policy")
      #expect(policy?.hasPrefix("default-src 'none'") == true && policy?.contains("frame-ancestors 'none'") == true)
      #expect(answer.value(forHTTPHeaderField: "Referrer-Policy") == "no-referrer")
    }
    // A name of somebody else's that leads here.
    #expect(try await get("", host: "example.org").status == 403)
  }

  @Test(.timeLimit(.minutes(10))) func whatIsWrittenIsTold() async throws {
    defer { browser.stop() }
    let before = folder.bytes("fleet.store")
    let events = Events()
    let session = URLSession(configuration: .ephemeral, delegate: events, delegateQueue: nil)
    session.dataTask(with: browser.url.appending(path: "events")).resume()
    while !events.text.contains(":\n\n") { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(600))
    #expect(!events.text.contains("changed") && folder.bytes("fleet.store") == before)
    let context = ModelContext(try Fleet.open(folder.file("fleet.store")))
    context.insert(Vessel("new"))
    try context.save()
    while !events.text.contains("event: changed") { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try await get("rows?entity=Vessel&filter=new").text.contains("<span>new</span>"))
    session.invalidateAndCancel()
  }

  @Test(.timeLimit(.minutes(10))) func theCommandServesUntilItIsToldToEnd() async throws {
    browser.stop()
    let process = try ChildProcess("larder", ["browse", folder.path("fleet.store")], output: folder.file("said"))
    while !process.printed.contains("Ctrl-C") { try await Task.sleep(for: .milliseconds(20)) }
    let address = try #require(process.printed.firstMatch(of: /http:\S+/)).output
    #expect(try await get(String(address)).text.contains("Vessel"))
    process.interrupt()
    #expect(process.wait() == .exit(0))
    let wrong = try ChildProcess(
      "larder", ["browse", folder.path("fleet.store"), "--port", "x"], output: folder.file("w"))
    #expect(wrong.wait() == .exit(2))
  }
}
