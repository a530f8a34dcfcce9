import Foundation
import LarderData
import SwiftData

@Model
final class Owner {
  @Relationship(deleteRule: .cascade, inverse: \Member.owner) var members: [Member] = []
  var name = ""
  init() {}
}

@Model
final class Member {
  var number: Int
  var owner: Owner?
  init(_ number: Int) { self.number = number }
}

@Model
final class Album {
  var number: Int
  var songs: [Song] = []
  init(_ number: Int) { self.number = number }
}

@Model
final class Song {
  var number: Int
  @Relationship(inverse: \Album.songs) var albums: [Album] = []
  init(_ number: Int) { self.number = number }
}

/// A tree by a to-many.
@Model
final class Branch {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var children: [Branch] = []
  var parent: Branch?
  init(_ number: Int) { self.number = number }
}

/// A chain by a to-one.
@Model
final class Stop {
  var number: Int
  @Relationship(deleteRule: .cascade) var next: Stop?
  init(_ number: Int) { self.number = number }
}

func container() throws -> ModelContainer {
  try ModelContainer(
    for: Owner.self, Member.self, Album.self, Song.self, Branch.self, Stop.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// Runs a body on a thread with a stack of 512 KiB, which is less than most have.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
  let outcome = Outcome<Result>()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    outcome.result = Swift.Result { try body() }
    done.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  done.wait()
  guard let result = outcome.result else { throw CancellationError() }
  return try result.get()
}

// @unchecked: written before the semaphore is signalled, and read after that.
private final class Outcome<Success>: @unchecked Sendable {
  var result: Result<Success, any Error>?
}
