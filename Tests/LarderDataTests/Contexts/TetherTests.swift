import Foundation
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

@testable import LarderData

/// What leads to contexts and stores without holding them.
@Suite struct TetherTests {
  /// How many have ended, and how many could be had while they did.
  private final class Log: Sendable {
    let counts = Locked((ended: 0, late: 0))
  }

  private final class Boat: Sendable {
    let tether = WeakHandle<Boat>()
    let number: Int
    private let log: Log

    init(_ number: Int, _ log: Log) {
      self.number = number
      self.log = log
      tether.attach(to: self)
    }

    deinit {
      let isLate = tether.object != nil
      tether.invalidate()
      log.counts.withLock { counts in
        counts.ended += 1
        if isLate { counts.late += 1 }
      }
    }
  }

  @Test func itLeadsThereForAsLongAsTheObjectLives() {
    let log = Log()
    var boat: Boat? = Boat(7, log)
    let tether = boat?.tether
    #expect(tether?.object?.number == 7)
    #expect(log.counts.withLock { $0.ended } == 0)
    boat = nil
    #expect(tether?.object == nil)
    #expect(log.counts.withLock { $0 } == (1, 0))
  }

  /// Threads ask for objects at the moment in which others let go of them.
  @Test func nobodyGetsWhatIsAboutToEnd() {
    let log = Log()
    let boats = Locked<[Boat]>((0..<4_000).map { Boat($0, log) })
    let tethers = boats.withLock { $0.map(\.tether) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      if thread == 0 {
        while boats.withLock({ $0.popLast() }) != nil {}
      } else {
        for (number, tether) in tethers.enumerated().reversed() {
          if let boat = tether.object { #expect(boat.number == number) }
        }
      }
    }
    #expect(tethers.allSatisfy { $0.object == nil })
    #expect(log.counts.withLock { $0 } == (4_000, 0))
  }

  /// What is used with every row counts its references as cheaply as can be: nothing of the library's refers to it weakly.
  @Test func contextsAndStoresHaveNoWeakReferences() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1, text: "a")])
    context.autosaveEnabled = true
    _ = try context.fetch(FetchDescriptor<Crate>())
    for object in [context, context.core, context.core.sessions[0], context.core.sessions[0].store] as [AnyObject] {
      #expect(!hasSideTable(object), "\(type(of: object))")
    }
    // Else it would be seen.
    weak let weakly = context
    #expect(weakly != nil && hasSideTable(context))
  }

  /// Whether the object's second word leads to a count of its own, by its two highest bits: both are set only then, since
  /// none of these is immortal.
  private func hasSideTable(_ object: AnyObject) -> Bool {
    let words = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    return words.load(fromByteOffset: 8, as: UInt64.self) >> 62 == 3
  }
}
