import Testing

/// Links of a network namespace, and a client beside them: what the kernel tells, and not what a test makes up.
@Suite(.serialized, .enabled(if: Namespace.unshare != nil, Namespace.refusal)) struct LinkFlapTests {
  @Test func aHundredFlapsASecondAreAnAttemptASecond() throws {
    let seconds = 5
    let seen = try Namespace.victim("flaps \(seconds)").compactMapValues { Int($0) }
    let said = "\(seen)"
    let took = try #require(seen["milliseconds"])
    // They came as fast as they were to come, but for a machine that has other work.
    #expect(seen["flaps"] == seconds * 100 && took >= seconds * 1_000 && took < seconds * 10_000, "\(said)")
    // And were settled before anybody heard of them: five a second, the first state, and what came last.
    #expect(try #require(seen["events"]) <= (took + 2_000) / 200 + 3, "\(said)")
    let attempts = try #require(seen["attempts"])
    #expect(attempts >= 3 && attempts <= (took + 2_000) / 1_000 + 1, "\(said)")
    // A little less than a second, since the clocks are read before and after.
    #expect(try #require(seen["closest"]) >= 900, "\(said)")
    // The last of all is not forgotten, though another was just before it.
    #expect(try #require(seen["last"]) < 0, "\(said)")
  }

  @Test func thatAllIsDoneAndUp() throws {
    let seen = try Namespace.victim("flaps 1")
    #expect(seen["done"] == "true" && seen["state"] == "up", "\(seen)")
  }

  @Test func aWrongDownStopsNothing() throws {
    #expect(try Namespace.victim("down") == ["state": "down", "status": "204"])
  }
}
