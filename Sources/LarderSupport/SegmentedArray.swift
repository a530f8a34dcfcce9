/// A list at whose end elements are put, without ever moving those that are there.
///
/// It grows by chunks, each as large as all before it. An array would copy everything each time that it is full, and touch
/// memory for that which the system has to provide; and it asks at each element whether somebody else has it, too.
///
/// ```swift
/// var list = SegmentedArray<Int>()
/// for number in 0..<1_000 { list.append(number) }
/// print(list.count, list[999])
/// ```
///
/// Appending takes constant time, and so does finding an element by its place. What the end of an element runs, where it is
/// taken out or replaced, must not use the list.
@usableFromInline
package struct SegmentedArray<Element>: ~Copyable {
  /// Where the next element goes; the end of the last chunk if that is full.
  @usableFromInline var next: UnsafeMutablePointer<Element>?
  @usableFromInline var end: UnsafeMutablePointer<Element>?
  @usableFromInline package private(set) var count = 0
  /// The one numbered n has room for ``smallest`` elements, doubled n times.
  private var segments: [UnsafeMutablePointer<Element>] = []

  private static var firstSegmentSize: Int { 16 }

  package init() {}

  deinit {
    deinitializeElements(count)
    for chunk in segments { chunk.deallocate() }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    // A chunk that has been begun has room, and `next` is in it.
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

  /// The chunk of an element and its place there. Numbered from ``smallest`` on, elements with the same highest bit lie in
  /// one chunk.
  private static func position(of index: Int) -> (chunk: Int, place: Int) {
    let number = index + firstSegmentSize
    let chunk = number.leadingZeroBitCount.distance(to: firstSegmentSize.leadingZeroBitCount)
    return (chunk, number - size(of: chunk))
  }

  /// For how many elements there is memory.
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

  /// Takes all elements out.
  ///
  /// - Parameter capacity: For how many elements memory is kept at most.
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
