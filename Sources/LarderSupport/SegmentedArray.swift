/// A list that grows at its end without ever moving its elements.
///
/// It grows by segments, each as large as all earlier ones together. An array would copy all elements each time it is
/// full and touch memory that the system has yet to provide; and it checks for each element whether its storage is
/// shared.
///
/// ```swift
/// var list = SegmentedArray<Int>()
/// for number in 0..<1_000 { list.append(number) }
/// print(list.count, list[999])
/// ```
///
/// Appending takes constant time, and so does access by index. A deinitializer that runs when an element is removed or
/// replaced must not use the list.
@usableFromInline
package struct SegmentedArray<Element>: ~Copyable {
  /// The address of the next element; the end of the last segment if that is full.
  @usableFromInline var next: UnsafeMutablePointer<Element>?
  @usableFromInline var end: UnsafeMutablePointer<Element>?
  @usableFromInline package private(set) var count = 0
  /// The segments: number n has room for `firstSegmentSize` elements, doubled n times.
  private var segments: [UnsafeMutablePointer<Element>] = []

  private static var firstSegmentSize: Int { 16 }

  package init() {}

  deinit {
    deinitializeElements(count)
    for chunk in segments { chunk.deallocate() }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    // A segment that is in use has room, and `next` points into it.
    if next == end { beginSegment() }
    next.unsafelyUnwrapped.initialize(to: element)
    next = next.unsafelyUnwrapped + 1
    count &+= 1
  }

  @usableFromInline
  @inline(never)
  mutating func beginSegment() {
    let (chunk, place) = SegmentedArray.position(of: count)
    precondition(place == 0)
    let size = SegmentedArray.size(of: chunk)
    if chunk == segments.count { segments.append(.allocate(capacity: size)) }
    next = segments[chunk]
    end = segments[chunk] + size
  }

  private static func size(of chunk: Int) -> Int { firstSegmentSize << chunk }

  /// Returns the segment of an element and its place there. With numbers that start at `firstSegmentSize`, elements
  /// with the same highest bit are in one segment.
  private static func position(of index: Int) -> (chunk: Int, place: Int) {
    let number = index + firstSegmentSize
    let chunk = number.leadingZeroBitCount.distance(to: firstSegmentSize.leadingZeroBitCount)
    return (chunk, number - size(of: chunk))
  }

  /// The number of elements that the allocated memory holds.
  package var capacity: Int { SegmentedArray.capacity(of: segments.count) }

  package subscript(index: Int) -> Element {
    get { address(of: index).pointee }
    set { address(of: index).pointee = newValue }
  }

  private func address(of index: Int) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0 && index < count, "There is no element \(index) among \(count).")
    let (chunk, place) = SegmentedArray.position(of: index)
    return segments[chunk] + place
  }

  /// Removes all elements.
  ///
  /// - Parameter capacity: The maximum number of elements for which memory is kept.
  package mutating func removeAll(keepingCapacity capacity: Int = 0) {
    let former = count
    (next, end, count) = (nil, nil, 0)
    deinitializeElements(former)
    while SegmentedArray.capacity(of: segments.count) > capacity { segments.removeLast().deallocate() }
  }

  private func deinitializeElements(_ count: Int) {
    var rest = count
    for (place, chunk) in segments.enumerated() where rest > 0 {
      let there = min(rest, SegmentedArray.size(of: place))
      chunk.deinitialize(count: there)
      rest -= there
    }
  }

  private static func capacity(of chunks: Int) -> Int { size(of: chunks) - firstSegmentSize }
}
