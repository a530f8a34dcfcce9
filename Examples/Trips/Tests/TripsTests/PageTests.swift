import ExampleSupport
import FoundationNetworking
import LarderTesting
import SwiftData
import Testing

@testable import trips

/// The page, asked over a socket as a browser asks it.
@MainActor @Suite struct PageTests {
  @Test func showsTripsWithAllThatBelongsToThem() async throws {
    let scene = try await Scene()
    let html = try await scene.get()
    #expect(html.ranges(of: "<article").count == 2)
    #expect(html.contains("<b id=\"count\">2</b> trips, <b>4</b> legs, <b>2</b> people"))
    for word in ["Lisbon", "Irun", "Ada", "Grace", "south", "2 Jan 2001"] { #expect(html.contains(word), "\(word)") }
    await scene.end()
  }

  @Test func formOfATripHasItsValues() async throws {
    let scene = try await Scene()
    let html = try await scene.get("/?edit=lisbon")
    #expect(html.contains("name=\"name\" value=\"Lisbon\""))
    #expect(html.contains("name=\"first-day\" value=\"2001-01-02\""))
    #expect(html.contains("value=\"Ada, Grace\""))
    #expect(html.ranges(of: "name=\"leg-id\"").count == 3)
    // Nothing opens for a trip that there is not.
    #expect(try await !scene.get("/?edit=%3Cscript%3E").contains("data-form=\"trip\""))
    await scene.end()
  }

  @Test func savedFormIsKeptAndShown() async throws {
    let scene = try await Scene()
    let fields = try scene.fields(of: "lisbon") { form in
      form.name = " Porto "
      form.lastDay = "2001-02-28"
      form.people = "Grace, ,Edsger,"
      form.legs.swapAt(0, 2)
    }
    let (status, html) = try await scene.post("/trip", fields)
    #expect(status == 200)
    #expect(html.contains("Porto") && !html.contains("data-form=\"trip\""))
    let trip = try #require(try await scene.dependencies.tripRepository.fetchAll().first { $0.id == "lisbon" })
    #expect(trip.name == "Porto")
    #expect(trip.people == ["Grace", "Edsger"])
    #expect(trip.route == ["Irun–Lisbon bus", "Paris–Irun train", "Berlin–Paris train"])
    await scene.end()
  }

  @Test func buttonsOfTheLegsChangeTheFormAndNothingElse() async throws {
    let scene = try await Scene()
    let legs = try #require(scene.screen.list.trips.first { $0.id == "lisbon" }).legs
    func order(_ action: String) async throws -> [String] {
      let (status, html) = try await scene.post(
        "/trip", try scene.fields(of: "lisbon", { $0.name = "Unsaved" }, do: action))
      #expect(status == 200)
      #expect(html.contains("value=\"Unsaved\""))
      return html.matches(of: /name="leg-from" value="([^"]*)"/).map { String($0.output.1) }
    }
    #expect(try await order("up:\(legs[2].id)") == ["Berlin", "Irun", "Paris"])
    #expect(try await order("down:\(legs[0].id)") == ["Paris", "Berlin", "Irun"])
    #expect(try await order("up:\(legs[0].id)") == ["Berlin", "Paris", "Irun"])
    #expect(try await order("remove:\(legs[1].id)") == ["Berlin", "Irun"])
    #expect(try await order("add") == ["Berlin", "Paris", "Irun", "Lisbon"])
    #expect(scene.screen.list.trips.first { $0.id == "lisbon" }?.name == "Lisbon")
    await scene.end()
  }

  @Test func badFormComesBackWithASentenceAndWhatWasTyped() async throws {
    let scene = try await Scene()
    for (words, change) in [
      ("The trip&#39;s name is missing.", { $0.name = "  " }), ("The first day is no date.", { $0.firstDay = "soon" }),
      ("The last day is no date.", { $0.lastDay = "2001-02-30" }),
      ("The last day lies before the first.", { $0.lastDay = "2001-01-01" }),
      ("where leg 1 ends is missing", { $0.legs[0].destination = "" }),
      ("there twice", { $0.tags = "a, b, a" }),
    ] as [(String, (inout TripForm) -> Void)] {
      let (_, html) = try await scene.post(
        "/trip",
        try scene.fields(of: "lisbon") { form in
          form.people = "typed"
          change(&form)
        })
      #expect(html.contains(words), "\(words)")
      #expect(html.contains("value=\"typed\""))
    }
    #expect(scene.screen.list.trips.first { $0.id == "lisbon" }?.people == ["Ada", "Grace"])
    await scene.end()
  }

  @Test func formOfAnOldVersionAsksFirst() async throws {
    let scene = try await Scene()
    let old = try scene.fields(of: "lisbon") { $0.name = "Mine" }
    _ = try await scene.post("/trip", try scene.fields(of: "lisbon") { $0.name = "Theirs" })
    let (_, html) = try await scene.post("/trip", old)
    #expect(html.contains("was changed elsewhere since you began"))
    #expect(scene.screen.list.trips.first { $0.id == "lisbon" }?.name == "Theirs")
    // The form that came back knows what it would replace.
    let seen = try #require(html.firstMatch(of: /name="seen" value="([^"]*)"/)).output.1
    let again = old.map { $0.0 == "seen" ? ("seen", String(seen)) : $0 }
    _ = try await scene.post("/trip", again)
    #expect(scene.screen.list.trips.first { $0.id == "lisbon" }?.name == "Mine")
    await scene.end()
  }

  @Test(arguments: ["", "do=fly", "id=lisbon", "id=lisbon&name=x&leg-id=1&leg-from=a&leg-to=b&leg-by=train", "%=%&&=="])
  func whatIsNoFormIsRefused(body: String) async throws {
    let scene = try await Scene()
    for path in ["/trip", "/server/behaviour", "/server/trip"] where !(path == "/server/trip" && body.contains("name"))
    {
      let fields = body.split(separator: "&").map { part in
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        return (pair.first ?? "", pair.count > 1 ? pair[1] : "")
      }
      #expect(try await scene.post(path, fields + [("do", "fly")]).status == 400, "\(path)")
    }
    await scene.end()
  }

  @Test func onlyThePageItselfMayChangeAnything() async throws {
    let scene = try await Scene()
    for path in ["/sync", "/trip", "/server/behaviour", "/server/trip"] {
      for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"), ("Origin", "http://trips.example"), ("Host", "trips.example"),
      ] {
        #expect(try await scene.post(path, [], headers: [name: value]).status == 403, "\(path) \(value)")
      }
    }
    await scene.end()
  }

  @Test func whatTheServerSaysNeverBecomesMarkup() async throws {
    let hostile = #""><script>alert(1)</script>'"#
    let scene = try await Scene([
      TripDTO(
        id: hostile, name: hostile, startDate: Made.day(1),
        legs: [LegDTO(from: hostile, to: hostile, by: .foot)], people: [hostile], tags: [hostile])
    ])
    let edit = PageView.address(editing: hostile)
    for path in ["/", edit] {
      let html = try await scene.get(path)
      #expect(!html.contains("<script>"))
      #expect(html.contains("&lt;script&gt;"))
    }
    #expect(try await scene.get(edit).contains("data-form=\"trip\""))
    // And it can be edited under whatever name it has.
    _ = try await scene.post("/trip", try scene.fields(of: hostile) { $0.name = "Tame" })
    #expect(scene.screen.list.trips.first?.name == "Tame")
    await scene.end()
  }

  @Test func daysBeyondAllSenseAreShownAsSuch() async throws {
    let scene = try await Scene([
      TripDTO(id: "far", name: "Far", startDate: Date(timeIntervalSinceReferenceDate: 1e300))
    ])
    #expect(try await scene.get().contains("some day"))
    #expect(try await scene.get("/?edit=far").contains("name=\"first-day\" value=\"\""))
    await scene.end()
  }

  @Test(arguments: ["/", "/view", "/page.css", "/page.js", "/live.js", "/icon.svg"])
  func nothingFromElsewhereIsAllowed(path: String) async throws {
    let scene = try await Scene()
    let url = try #require(URL(string: path, relativeTo: scene.page.url))
    let (_, response) = try await URLSession.shared.data(from: url)
    let policy = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Security-Policy")
    #expect(policy?.hasPrefix("default-src 'none'") == true)
    await scene.end()
  }
}
