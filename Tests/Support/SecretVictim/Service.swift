#if os(Linux)
  import Foundation
  import LarderSecrets
  import Synchronization

  private let name = SecretName(service: "api.example", account: "token")
  private let store = SecretServiceStore(allowsPrompts: false, timeout: .seconds(600))

  /// What is done in a session with a keyring, whose process is `keyring`.
  func useService(_ what: String, keyring: pid_t) async throws {
    switch what {
    case "life": try await liveWithKeyring()
    case "read": print("read \(try await store.secret(for: name)?.text() ?? "nil")")
    case "locked": await meetLock()
    case "without":
      print("read: \(await tried { _ = try await store.secret(for: name) })")
      print("write: \(await tried { try await store.set(Secret("1"), for: name) })")
    case "gone": try await lose(keyring)
    case "bus": try await loseBus(keyring)
    case "stopped": try await meetSilence(keyring)
    case "queued": try await queueUp(keyring)
    case "check":
      print("available \(await SecretServiceStore.isAvailable), \(await tried { try await store.checkAvailability() })")
    default: print("no such scenario")
    }
  }

  /// The system's store, whatever that is here, for secrets in this file.
  func chooseStore(_ path: String) async {
    let said = await tried {
      let store = try await SystemSecretStore.standard(file: URL(filePath: path), key: try SecretKey(bytes: 0..<32))
      try await store.set(Secret("1"), for: name)
      print("kind \(store.kind.rawValue)")
    }
    if said != "done" { print("system: \(said)") }
  }

  private func tried(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "done"
    } catch { return (error as? SecretError)?.summary ?? "another error" }
  }

  private func liveWithKeyring() async throws {
    print("available \(await SecretServiceStore.isAvailable)")
    print("none \(try await store.secret(for: name) == nil)")
    for secret in [
      Secret("one"), Secret(""), Secret(0...255), Secret(repeatElement(7, count: 100_000)), Secret("last"),
    ] {
      try await store.set(secret, for: name)
      let found = try await store.secret(for: name)
      if found != secret { print("\(secret.count) bytes came back as \(found?.count ?? -1)") }
    }
    let other = SecretName(service: "api.example", account: "käse & \"wein\"")
    try await store.set(Secret("2"), for: other)
    try await store.set(Secret("3"), for: SecretName(service: "api", account: "token"))
    print("names \(try await store.names(of: "api.example").map(\.account))")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await store.set(Secret("\(number)"), for: SecretName(service: "many", account: "\(number)"))
        }
      }
      try await group.waitForAll()
    }
    print("many \(try await store.names(of: "many").count)")
    try await store.remove(other)
    try await store.remove(other)
    print("removed \(try await store.secret(for: other) == nil)")
  }

  private func meetLock() async {
    print("read: \(await tried { _ = try await store.secret(for: name) })")
    print("write: \(await tried { try await store.set(Secret("2"), for: name) })")
    print("remove: \(await tried { try await store.remove(name) })")
    print("names: \(await tried { _ = try await store.names(of: "api.example") })")
    // Who may ask has nobody to ask here.
    let asking = SecretServiceStore(allowsPrompts: true, timeout: .seconds(600))
    print("ask: \(await tried { _ = try await asking.secret(for: name) })")
  }

  private func lose(_ keyring: pid_t) async throws {
    try await store.set(Secret("1"), for: name)
    end(keyring)
    print("read: \(await tried { _ = try await store.secret(for: name) })")
    print("write: \(await tried { try await store.set(Secret("2"), for: name) })")
    // Whoever started it starts another one when it is told that this has come so far.
    print("again")
    fflush(nil)
    for _ in 0..<1_200 where !(await SecretServiceStore.isAvailable) { usleep(100_000) }
    print("found \(try await store.secret(for: name)?.text() ?? "nil")")
  }

  private func loseBus(_ bus: pid_t) async throws {
    try await store.set(Secret("1"), for: name)
    end(bus)
    print("read: \(await tried { _ = try await store.secret(for: name) })")
    print("available \(await SecretServiceStore.isAvailable)")
  }

  private func meetSilence(_ keyring: pid_t) async throws {
    try await store.set(Secret("1"), for: name)
    kill(keyring, SIGSTOP)
    defer { kill(keyring, SIGCONT) }
    let brief = SecretServiceStore(allowsPrompts: false, timeout: .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    print("read: \(await tried { _ = try await brief.secret(for: name) })")
    // Not that of D-Bus, whose calls end after 25 seconds.
    print("its own \(clock.now - start < .seconds(20))")
    let task = Task { await tried { _ = try await store.secret(for: name) } }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    print("cancelled: \(await task.value)")
    kill(keyring, SIGCONT)
    print("found \(try await store.secret(for: name)?.text() ?? "nil")")
  }

  private func queueUp(_ keyring: pid_t) async throws {
    try await store.set(Secret("1"), for: name)
    kill(keyring, SIGSTOP)
    defer { kill(keyring, SIGCONT) }
    let hasEnded = Mutex(false)
    let first = Task {
      let said = await tried { _ = try await store.secret(for: name) }
      hasEnded.withLock { $0 = true }
      return said
    }
    // Most likely it has its turn then. Where it has not, what follows is still as it should be.
    try await Task.sleep(for: .milliseconds(300))
    let cancelled = Task { await tried { _ = try await store.secret(for: name) } }
    let brief = SecretServiceStore(allowsPrompts: false, timeout: .milliseconds(300))
    print("brief: \(await tried { _ = try await brief.secret(for: name) })")
    cancelled.cancel()
    print("cancelled: \(await cancelled.value)")
    print("first ended \(hasEnded.withLock { $0 })")
    first.cancel()
    print("first: \(await first.value)")
    kill(keyring, SIGCONT)
    print("found \(try await store.secret(for: name)?.text() ?? "nil")")
  }

  /// Kills a process that others begin and wait for, and returns when the kernel has closed what it had open.
  private func end(_ process: pid_t) {
    kill(process, SIGKILL)
    // "pid (name) state …"; it has let go of everything when it is a zombie.
    while let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let state = status.split(separator: ")").last?.first(where: { $0 != " " }), state != "Z", state != "X"
    {
      usleep(1_000)
    }
  }
#endif
