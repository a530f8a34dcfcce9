import Foundation
import LarderData
import LarderIngest
import LarderRecords
import LarderSQLite
import SwiftData
import Synchronization
import Testing

/// Bytes that become rows in one call.
@Suite struct IngestTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Sighting.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @discardableResult
  private func ingest(
    _ chunks: Chunks, removing removal: UpsertRemoval<Sighting> = .none, progress: Progress? = nil
  ) async throws -> UpsertReport {
    let elements = JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: chunks)
    return try await container.ingest(
      elements, into: Sighting.self, by: \.code, author: "feed", removing: removal, progress: progress
    ) { $0.everything() }
  }

  private func counts(_ report: UpsertReport) -> [Int] {
    [report.inserted, report.updated, report.unchanged, report.failed]
  }

  private func stored() throws -> [Sighting] {
    try ModelContext(container).fetch(FetchDescriptor<Sighting>(sortBy: [SortDescriptor(\.count)]))
  }

  @Test(arguments: [1, 7, 1_000, 1_000_000])
  func elementsBecomeRows(_ size: Int) async throws {
    let count = size == 1 ? 20 : 500
    #expect(counts(try await ingest(Chunks(Feed.document(0..<count), size: size))) == [count, 0, 0, 0])
    #expect(try stored().map(\.code) == (0..<count).map { "S\($0)" })
    #expect(try stored().allSatisfy { $0.note == "as ever" })
    let elements = (0..<count).map { Feed.element($0, note: $0 == 3 ? "louder" : "as ever") } + [Feed.element(count)]
    #expect(counts(try await ingest(Chunks(Feed.document(elements), size: size))) == [1, 1, count - 1, 0])
    #expect(try stored()[3].note == "louder" && stored().count == count + 1)
  }

  /// What a decoder reads goes the same way.
  @Test func plainCodable() async throws {
    let lines = (0..<300).map { Feed.element($0) }.joined(separator: "\n")
    let elements = JSONElementSequence(decoding: SightingRecord.self, at: .lines, in: Chunks(lines, size: 333))
    let report = try await container.ingest(elements, into: Sighting.self, by: \.code) { $0.everything() }
    #expect(counts(report) == [300, 0, 0, 0])
    #expect(try stored().map(\.count) == Array(0..<300))
  }

  /// More than is on its way at once, in several transactions.
  @Test func manyBatches() async throws {
    let count = 40_000
    #expect(counts(try await ingest(Chunks(Feed.document(0..<count), size: 50_000))) == [count, 0, 0, 0])
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Sighting>()) == count)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count >= 3 && history.allSatisfy { $0.author == "feed" })
    #expect(history.reduce(0) { $0 + $1.changes.count } == count)
  }

  @Test func whatChangesNothingWritesNothing() async throws {
    let feed = Chunks(Feed.document(0..<2_000))
    try await ingest(feed)
    let context = ModelContext(container)
    let before = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    #expect(counts(try await ingest(feed)) == [0, 0, 2_000, 0])
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == before)
  }

  // MARK: Bad elements

  /// They are left out, by their places; the rest is stored.
  @Test func elementsThatAreOtherwise() async throws {
    var elements = (0..<3_000).map { Feed.element($0) }
    elements[0] = "17"
    elements[5] = #"{"code":"S5","count":"many"}"#
    elements[6] = #"{"count":6}"#
    elements[2_999] = "null"
    let report = try await ingest(Chunks(Feed.document(elements), size: 777))
    #expect(counts(report) == [2_996, 0, 0, 4])
    #expect(report.firstFailures.map(\.index) == [0, 5, 6, 2_999])
    #expect(report.firstFailures.allSatisfy { $0.error is JSONError })
    #expect(try stored().count == 2_996)
  }

  /// Lines that are no JSON are left out where the program says so, and reported by their numbers.
  @Test func malformedLinesAreLeftOut() async throws {
    var lines = (0..<500).map { Feed.element($0) }
    lines[3] = #"{"code":"S3","count":NaN}"#
    lines[7] = ""
    lines[499] = #"{"code":"S499","count":4"#
    let chunks = Chunks(lines.joined(separator: "\n"), size: 100)
    func ingest(_ policy: JSONMalformedLinePolicy) async throws -> UpsertReport {
      let elements = JSONElementSequence(of: SightingRecord.self, at: .lines, in: chunks, malformedLines: policy)
      return try await container.ingest(elements, into: Sighting.self, by: \.code, removing: .missing) {
        $0.everything()
      }
    }
    let error = await #expect(throws: JSONError.self) { try await ingest(.fail) }
    #expect(error?.line == 4)
    #expect(try stored().count == 3)
    for count in [494, 0] {
      let report = try await ingest(.skip(atMost: 2))
      #expect(counts(report) == [count, 0, 497 - count, 2])
      #expect(report.firstFailures.map(\.line) == [4, 500] && report.firstFailures.map(\.index) == [3, 498])
      #expect((report.firstFailures[0].error as? JSONError)?.code == .invalidLiteral)
      #expect(report.removed == 0 && report.removalProblem != nil)
    }
    let last = await #expect(throws: JSONError.self) { try await ingest(.skip(atMost: 1)) }
    #expect(last?.line == 500)
  }

  /// Places are those of the stream, for what cannot be read and for what cannot be stored.
  @Test func placesOfFailures() async throws {
    var elements = (0..<100).map { Feed.element($0) }
    for place in [3, 4, 50] { elements[place] = "[]" }
    let chunks = Chunks(Feed.document(elements), size: 100)
    struct Refused: Error {}
    let report = try await container.ingest(
      JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: chunks), into: Sighting.self, by: \.code
    ) { sighting in
      sighting.set(\.code) { $0.code }
      sighting.set(\.count) { record in
        if [2, 5, 99].contains(record.count) { throw Refused() }
        return record.count
      }
    }
    #expect(counts(report) == [94, 0, 0, 6])
    #expect(report.firstFailures.filter { $0.error is Refused }.map(\.index) == [2, 5, 99])
    #expect(report.firstFailures.filter { $0.error is JSONError }.map(\.index) == [3, 4, 50])
  }

  /// The first of the stream are reported, those that cannot be stored among those that cannot be read.
  @Test func theFirstFailuresAreReportedInTheirOrder() async throws {
    var elements = Array(repeating: "17", count: 150)
    for place in [0, 40, 99, 120] { elements[place] = #"{"code":"S\#(place)","count":1}"# }
    struct Refused: Error {}
    let report = try await container.ingest(
      JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: Chunks(Feed.document(elements), size: 50)),
      into: Sighting.self, by: \.code
    ) { sighting in
      sighting.set(\.code) { $0.code }
      sighting.set(\.count) { _ in throw Refused() }
    }
    #expect(report.failed == 150)
    #expect(report.firstFailures.map(\.index) == Array(0..<100))
    #expect(report.firstFailures.indices.filter { report.firstFailures[$0].error is Refused } == [0, 40, 99])
  }

  /// Nobody knows whose row a bad element would have been.
  @Test func nothingIsRemovedForABadElement() async throws {
    try await ingest(Chunks(Feed.document(0..<10)))
    var elements = (0..<5).map { Feed.element($0) }
    #expect(try await ingest(Chunks(Feed.document(elements)), removing: .missing).removed == 5)
    elements = [Feed.element(0), "17"]
    let report = try await ingest(Chunks(Feed.document(elements)), removing: .missing)
    #expect(report.removed == 0 && report.removalProblem is JSONError)
    #expect(try stored().count == 5)
  }

  // MARK: Bad streams

  @Test func textThatIsWrong() async throws {
    let text = Feed.document(0..<50).replacingOccurrences(of: #""S30","#, with: #""S30"#)
    let error = await #expect(throws: JSONError.self) { try await ingest(Chunks(text, size: 90), removing: .missing) }
    #expect(error?.code == .unexpectedCharacter)
    #expect(try stored().map(\.count) == Array(0..<30))
  }

  @Test func textThatEndsTooSoon() async throws {
    try await ingest(Chunks(Feed.document(90..<92)))
    let text = String(Feed.document(0..<50).dropLast(40))
    let error = await #expect(throws: JSONError.self) { try await ingest(Chunks(text), removing: .missing) }
    #expect(error?.code == .unexpectedEnd)
    #expect(try stored().map(\.count) == Array(0..<49) + [90, 91])
  }

  @Test func connectionThatIsCut() async throws {
    var chunks = Chunks(Feed.document(0..<5_000))
    chunks.cut = chunks.bytes.count / 2
    await #expect(throws: Chunks.Cut.self) { try await ingest(chunks, removing: .missing) }
    let count = try stored().count
    #expect((2_400..<2_600).contains(count))
    chunks.cut = nil
    #expect(counts(try await ingest(chunks)) == [5_000 - count, 0, count, 0])
  }

  @Test func pathThatLeadsNowhere() async throws {
    let elements = JSONElementSequence(of: SightingRecord.self, at: "things[*]", in: Chunks(Feed.document(0..<9)))
    let error = await #expect(throws: JSONError.self) {
      try await container.ingest(elements, into: Sighting.self, by: \.code, removing: .missing) { $0.everything() }
    }
    #expect(error?.code == .noElements)
  }

  @Test func mappingThatCannotBe() async throws {
    let elements = JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: Chunks(Feed.document(0..<9)))
    await #expect(throws: SwiftDataError.self) {
      try await container.ingest(elements, into: Sighting.self, by: \.count) { $0.everything() }
    }
  }

  // MARK: On the way

  /// Rows are there while the stream goes on.
  @Test(.timeLimit(.minutes(10))) func whatHasComeIsSeenInAPause() async throws {
    let container = container
    var chunks = Chunks(Feed.document(0..<100), size: 500)
    let half = chunks.bytes.count / 2 / 500 * 500
    chunks.before = { place in
      guard place == half else { return }
      while try ModelContext(container).fetchCount(FetchDescriptor<Sighting>()) < 40 {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    #expect(counts(try await ingest(chunks)) == [100, 0, 0, 0])
  }

  /// Chunks are asked for as they are taken: while nothing can be written some megabytes are read and no more.
  @Test(.timeLimit(.minutes(10))) func chunksWaitForRoom() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ingest-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    // The writer waits as long as a slow machine takes to ask for what it asks for.
    var options = StoreOptions()
    options.settings.queueTimeout = .seconds(600)
    let container = try StoreOptions.$current.withValue(options) {
      try ModelContainer(
        for: Sighting.self, configurations: ModelConfiguration(url: folder.appending(path: "store.db")))
    }
    let asked = Asked()
    // Elements of which most is passed over, so that few of them are many bytes.
    let note = String(repeating: "-", count: 10_000)
    var chunks = Chunks(Feed.document((0..<3_000).map { Feed.element($0, note: note) }), size: 64_000)
    chunks.before = { asked.note($0) }
    let (isHeld, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
    let database = container.store.database
    Thread.detachNewThread {
      try? database.withWriter { _ in
        isHeld.open()
        mayEnd.wait()
      }
    }
    await isHeld.wait()
    let ingestion = Task { [chunks] in
      let elements = JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: chunks)
      return try await container.ingest(elements, into: Sighting.self, by: \.code) { $0.everything() }
    }
    var place = -1
    // As much is asked for at least, however few elements a slow machine has put into the batches that wait.
    while place < 256_000 || place != asked.last {
      place = asked.last
      try await Task.sleep(for: .milliseconds(500))
    }
    #expect(place < chunks.bytes.count - 1_000_000)
    mayEnd.signal()
    #expect(try await ingestion.value.inserted == 3_000)
    #expect(asked.last == chunks.bytes.count)
  }

  @Test func progressCountsBytes() async throws {
    let chunks = Chunks(Feed.document(0..<3_000))
    let progress = Progress(totalUnitCount: Int64(chunks.bytes.count))
    try await ingest(chunks, progress: progress)
    #expect(progress.isFinished && progress.completedUnitCount == Int64(chunks.bytes.count))
  }

  /// What is committed counts while the rest is on its way, however long the writer has no pause.
  @Test func progressGoesOnWithEachTransaction() async throws {
    var chunks = Chunks(Feed.document(0..<80_000), size: 64_000)
    let progress = Progress(totalUnitCount: Int64(chunks.bytes.count))
    let last = chunks.bytes.count / 64_000 * 64_000
    let seen = Atomic<Int64>(0)
    chunks.before = { if $0 == last { seen.store(progress.completedUnitCount, ordering: .relaxed) } }
    try await ingest(chunks, progress: progress)
    #expect(seen.load(ordering: .relaxed) > 0)
    #expect(progress.completedUnitCount == Int64(chunks.bytes.count))
  }

  @Test func cancelledProgress() async throws {
    let progress = Progress(totalUnitCount: -1)
    var chunks = Chunks(Feed.document(0..<3_000))
    chunks.before = { if $0 > 100_000 { progress.cancel() } }
    await #expect(throws: CancellationError.self) { try await ingest(chunks, removing: .missing, progress: progress) }
  }

  /// Whatever what brings the chunks says of being cancelled.
  @Test(arguments: [CancellationError(), Chunks.Cut()] as [any Error])
  func cancelledTask(_ error: any Error) async throws {
    var chunks = Chunks(Feed.document(0..<3_000))
    let gate = Gate()
    chunks.before = { place in
      guard place > 100_000 else { return }
      gate.open()
      do { try await Task.sleep(for: .seconds(60)) } catch is CancellationError { throw error }
    }
    let task = Task { [chunks] in try await ingest(chunks) }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// Up to where chunks were asked for.
private final class Asked: @unchecked Sendable {
  private let lock = NSLock()
  private var place = 0
  func note(_ place: Int) { lock.withLock { self.place = max(self.place, place) } }
  var last: Int { lock.withLock { place } }
}

/// Something that happens once, and is waited for.
private final class Gate: Sendable {
  private let (stream, continuation) = AsyncStream<Void>.makeStream()
  func open() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
