import LarderSupport
import Testing

@testable import LarderData

/// What the log of edits says of properties of one column, of several and of none.
@Suite struct UndoLogTests {
  private static func log() -> OriginalValues {
    var log = OriginalValues()
    log.append(objectIndex: 0, bit: 1, .text("pear"))
    log.append(objectIndex: 0, bit: 2, [.integer(1), .real(2), .null])
    log.append(objectIndex: 1, bit: 4, [])
    log.append(objectIndex: 1, bit: _PropertyMask(index: 63), .integer(9))
    return log
  }

  @Test func eachPropertyHasOneEntry() {
    let log = UndoLogTests.log()
    let heads = (0..<log.count).filter { log[$0].bit != 0 }
    #expect(heads.map { log[$0].bit } == [1, 2, 4, _PropertyMask(index: 63)])
    #expect(heads.map { log[$0].objectIndex } == [0, 0, 1, 1])
    #expect(
      heads.map { log.values(of: $0) } == [[.text("pear")], [.integer(1), .real(2), .null], [], [.integer(9)]])
  }

  @Test func whatHasEndedMakesRoom() throws {
    var log = UndoLogTests.log()
    // Of those of the second object, which becomes the first, most of the log is in the way.
    log.renumber([-1, 0])
    let heads = (0..<log.count).filter { log[$0].bit != 0 }
    #expect(heads.map { log[$0].bit } == [4, _PropertyMask(index: 63)])
    #expect(heads.map { log[$0].objectIndex } == [0, 0])
    #expect(heads.map { log.values(of: $0) } == [[], [.integer(9)]])
    #expect(log.count == 2)
  }

  @Test func whatStaysKeepsAllOfItsColumns() {
    var log = OriginalValues()
    for _ in 0..<3 { log.append(objectIndex: 0, bit: 2, [.integer(7), .integer(8)]) }
    log.append(objectIndex: 1, bit: 2, [.integer(1), .real(2), .null])
    log.append(objectIndex: 1, bit: 1, .text("pear"))
    log.renumber([-1, 0])
    #expect(log.count == 4)
    #expect(log.values(of: 0) == [.integer(1), .real(2), .null])
    #expect(log.values(of: 3) == [.text("pear")])
    #expect((0..<log.count).map { log[$0].objectIndex } == [0, 0, 0, 0])
  }

  @Test func propertiesAreFoundReplacedAndForgotten() throws {
    var log = UndoLogTests.log()
    let found = log.entry(of: 0, 2)
    let entry = try #require(found)
    log.replace(entry, with: [.integer(5), .real(6), .text("fig")])
    #expect(log.values(of: entry) == [.integer(5), .real(6), .text("fig")])
    log.remove(entry)
    let (gone, other) = (log.entry(of: 0, 2), log.entry(of: 1, _PropertyMask(index: 63)))
    #expect(gone == nil)
    #expect(other != nil)
    // Entered once more, it is the new one.
    log.append(objectIndex: 0, bit: 2, [.null, .null, .null])
    let next = log.entry(of: 0, 2)
    let again = try #require(next)
    #expect(log.values(of: again) == [.null, .null, .null])
    log.removeAll()
    #expect(log.count == 0)
    let none = log.entry(of: 0, 1)
    #expect(none == nil)
  }
}
