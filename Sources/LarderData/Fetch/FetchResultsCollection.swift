/// What a fetch in batches gives: the results in their order, of which one batch is in memory at a time.
///
/// ```swift
/// let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]), batchSize: 100)
/// for trip in trips { print(trip.name) }
/// ```
///
/// It belongs to its context's thread or actor, and keeps the context. Going through it in order, either way, loads
/// each batch once; jumping about loads a batch for each jump.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let batches: BatchLoader<Element>

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    batches = BatchLoader(count: count, batchSize: batchSize, load: load)
  }

  /// Elements that are there.
  init(_ elements: [Element]) {
    batches = BatchLoader(count: elements.count, batchSize: Swift.max(1, elements.count)) { Array(elements[$0]) }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { batches.count }
  public subscript(position: Int) -> Element { batches[position] }
}

extension FetchResultsCollection: CustomDebugStringConvertible {
  public var debugDescription: String { "FetchResultsCollection<\(Element.self)> - count: \(count)" }
}

/// Loads elements by the batch, and keeps the last one.
private final class BatchLoader<Element> {
  let count: Int
  private let batchSize: Int
  private let load: (Range<Int>) -> [Element]
  private var cachedBatch: (places: Range<Int>, elements: [Element])?

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    self.count = count
    self.batchSize = batchSize
    self.load = load
  }

  subscript(position: Int) -> Element {
    precondition(position >= 0 && position < count, "\(position) is no index of \(count) fetched results")
    if let cachedBatch, cachedBatch.places.contains(position) {
      return cachedBatch.elements[position - cachedBatch.places.lowerBound]
    }
    let first = position - position % batchSize
    let places = first..<first + Swift.min(batchSize, count - first)
    let elements = load(places)
    // The end of a model may read the results: not while what is held of them changes.
    let former = cachedBatch
    cachedBatch = (places, elements)
    withExtendedLifetime(former) {}
    return elements[position - first]
  }
}
