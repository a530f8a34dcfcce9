import ExampleSupport
import Foundation
import Testing

@testable import payments

/// One program at a time pays from a store, by whatever name it knows it.
@Suite struct ProgramLockTests {
  private let folder: TemporaryFolder
  private var store: URL { folder.url.appending(path: "real.store") }

  init() throws { folder = try TemporaryFolder() }

  private func isRefused(_ store: URL) -> Bool {
    do {
      try ProgramLock.take(beside: store, patience: 0)
      return false
    } catch {
      return "\(error)".contains("Another program pays from this store")
    }
  }

  @Test func linksLeadToTheSameLock() throws {
    try ProgramLock.take(beside: store)
    _ = try PaymentStack(at: store)
    let link = folder.url.appending(path: "link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store)
    let second = folder.url.appending(path: "second.store")
    try FileManager.default.linkItem(at: store, to: second)
    for name in [store, link, second] { #expect(isRefused(name), "\(name.lastPathComponent)") }
  }

  /// Whoever removes the lock's file opens nothing by that.
  @Test func theLocksFileMayGo() throws {
    try ProgramLock.take(beside: store)
    _ = try PaymentStack(at: store)
    try FileManager.default.removeItem(at: folder.url.appending(path: "real.lock"))
    #expect(isRefused(store))
  }

  @Test func aStoreThatWasEmptiedIsNoNewOne() throws {
    // Of a program that was killed before it had written anything: nothing was paid.
    try Data().write(to: store)
    try Data().write(to: folder.url.appending(path: "real.lock"))
    try ProgramLock.take(beside: store)
    let network = MockNetwork { _ in Data() }
    _ = try DIContainer(network: network, store: store)
    let other = folder.url.appending(path: "other.store")
    try Data().write(to: other)
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "real.lock"), to: folder.url.appending(path: "other.lock"))
    let error = #expect(throws: FileTrouble.self) { try ProgramLock.take(beside: other) }
    #expect(error?.description.contains("is empty, though it was used. Restore it from a backup.") == true)
  }
}
