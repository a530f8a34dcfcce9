/// The results of a fetch in batches, in order. Only one batch is in memory at a time.
///
/// ```swift
/// let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]), batchSize: 100)
/// for trip in trips { print(trip.name) }
/// ```
///
/// The collection belongs to the thread or actor of its context, and keeps the context alive. Iterating in either
/// direction loads each batch once; random access may load a batch for each element.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let batches: BatchLoader<Element>

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    batches = BatchLoader(count: count, batchSize: batchSize, load: load)
  }

  /// Creates a collection of elements that are loaded already.
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

/// A loader that reads elements batch by batch, and keeps the last batch.
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
    // Releasing a model may run code that reads these results, so the former batch is kept until the new one is stored.
    let former = cachedBatch
    cachedBatch = (places, elements)
    withExtendedLifetime(former) {}
    return elements[position - first]
  }
}
