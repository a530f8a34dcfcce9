import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite struct FileSafetyTests {
  private let folder: WorkFolder
  private let path: String

  init() async throws {
    folder = try WorkFolder()
    path = folder.path("secrets")
    try await folder.store().set(Secret("1"), for: token)
  }

  private func expectRefusal(_ unsafety: SecretError.InsecureFileReason, _ name: String = "secrets") async {
    let expected = SecretError.insecureFile(file: folder.path(name), unsafety)
    let store = folder.store(name)
    let before = folder.bytes("secrets")
    #expect(await failure { _ = try await store.secret(for: token) } == expected)
    #expect(await failure { try await store.set(Secret("2"), for: other) } == expected)
    #expect(folder.bytes("secrets") == before)
  }

  @Test func modesThatLetOthersIn() async throws {
    for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o777] {
      chmod(path, mode_t(mode))
      await expectRefusal(.permissions(mode))
    }
    chmod(path, 0o400)
    #expect(try await folder.store().secret(for: token) == Secret("1"))
  }

  @Test func symbolicLinks() async throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
    await expectRefusal(.symbolicLink, "link")
    // Of the folder they are the user's own matter.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("folder"), withDestinationPath: folder.url.path(percentEncoded: false))
    #expect(try await folder.store("folder/secrets").secret(for: token) == Secret("1"))
  }

  @Test(.timeLimit(.minutes(10))) func pipesAndFolders() async throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    await expectRefusal(.notRegular, "pipe")
    try FileManager.default.createDirectory(atPath: folder.path("empty"), withIntermediateDirectories: false)
    await expectRefusal(.notRegular, "empty")
  }

  @Test func aLockThatOthersCouldHold() async throws {
    chmod(folder.path(".secrets.lock"), 0o666)
    #expect(
      await failure { try await folder.store().set(Secret("2"), for: other) }
        == .insecureFile(file: folder.path(".secrets.lock"), .permissions(0o666)))
    #expect(try await folder.store().secret(for: token) == Secret("1"), "Reading needs no lock.")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away.")) func anotherOwner() async throws {
    #expect(chown(path, 12_345, 12_345) == 0)
    await expectRefusal(.owner(12_345))
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become somebody else.")) func anotherUser() async throws {
    chmod(folder.url.path(percentEncoded: false), 0o755)
    let printed = try folder.victim("nobody", path).split(separator: "\n")
    #expect(printed == ["read open 13", "write lock 13"])
    // In a folder where nobody may write, but read.
    chmod(path, 0o644)
    #expect(try folder.victim("nobody", path).hasPrefix("read owner(0)"))
    #expect(try folder.victim("nobody", folder.path("none")).split(separator: "\n") == ["read -1", "write lock 13"])
  }

  @Test func noFolder() async throws {
    let store = folder.store("nowhere/secrets")
    let expected = SecretError.system(.open, file: folder.path("nowhere/"), errno: ENOENT)
    #expect(await failure { _ = try await store.secret(for: token) } == expected)
    #expect(await failure { try await store.set(Secret("2"), for: other) } == expected)
  }

  @Test func aFullDisk() throws {
    try FileManager.default.createDirectory(at: folder.file("disk"), withIntermediateDirectories: false)
    let printed = try folder.victim("full", folder.path("disk")).split(separator: "\n")
    #expect(printed == ["stopped write 28", "kept true", "left .secrets.lock secrets", "again true"])
  }

  #if os(Linux)
    @Test func aFolderThatCannotBeFlushed() async throws {
      let printed = try folder.victim("unflushed", path).split(separator: "\n")
      #expect(printed == ["write flushFolder 5", "read new"])
      #expect(folder.names.filter { $0.hasSuffix(".tmp") }.isEmpty)
    }
  #endif

  @Test func leftoversGoAndNothingElse() async throws {
    let stale = [".secrets.0123456789abcdef.tmp", ".secrets.ffffffffffffffff.tmp"]
    let others = [
      ".secrets.0123456789abcde.tmp", ".secrets.0123456789ABCDEF.tmp", ".secrets.b.0123456789abcdef.tmp",
      "secrets.0123456789abcdef.tmp", ".secrets.0123456789abcdef.tmp2", ".secrets.tmp",
    ]
    for name in stale + others { try Data().write(to: folder.file(name)) }
    let link = ".secrets.1111111111111111.tmp"
    try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: path)
    _ = try await folder.store().secret(for: token)
    #expect(Set(folder.names).isSuperset(of: stale), "Who reads removes nothing: somebody may be writing.")
    try await folder.store().set(Secret("2"), for: other)
    #expect(Set(folder.names) == Set(others + [link, "secrets", ".secrets.lock"]))
  }

  @Test func noOneIsLetInByAnUmask() throws {
    // In a process of its own: it is one for all threads.
    #expect(try folder.victim("open", folder.path("new"), "a", "2") == "added\n")
    #expect(folder.mode("new") == 0o600 && folder.mode(".new.lock") == 0o600)
  }
}
