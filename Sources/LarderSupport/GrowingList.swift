/// A list at whose end elements are put, without ever moving those that are there.
///
/// It grows by chunks, each as large as all before it. An array would copy everything each time that it is full, and touch
/// memory for that which the system has to provide; and it asks at each element whether somebody else has it, too.
///
/// ```swift
/// var list = GrowingList<Int>()
/// for number in 0..<1_000 { list.append(number) }
/// print(list.count, list[999])
/// ```
///
/// Appending takes constant time, and so does finding an element by its place. What the end of an element runs, where it is
/// taken out or replaced, must not use the list.
@usableFromInline
package struct GrowingList<Element>: ~Copyable {
  /// Where the next element goes; the end of the last chunk if that is full.
  @usableFromInline var next: UnsafeMutablePointer<Element>?
  @usableFromInline var end: UnsafeMutablePointer<Element>?
  @usableFromInline package private(set) var count = 0
  /// The one numbered n has room for ``smallest`` elements, doubled n times.
  private var chunks: [UnsafeMutablePointer<Element>] = []

  private static var smallest: Int { 16 }

  package init() {}

  deinit {
    endElements(count)
    for chunk in chunks { chunk.deallocate() }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    // A chunk that has been begun has room, and `next` is in it.
    if next == end { beginChunk() }
    next.unsafelyUnwrapped.initialize(to: element)
    next = next.unsafelyUnwrapped + 1
    count &+= 1
  }

  @usableFromInline
  @inline(never)
  mutating func beginChunk() {
    let (chunk, place) = GrowingList.position(of: count)
    precondition(place == 0)
    let size = GrowingList.size(of: chunk)
    if chunk == chunks.count { chunks.append(.allocate(capacity: size)) }
    next = chunks[chunk]
    end = chunks[chunk] + size
  }

  private static func size(of chunk: Int) -> Int { smallest << chunk }

  /// The chunk of an element and its place there. Numbered from ``smallest`` on, elements with the same highest bit lie in
  /// one chunk.
  private static func position(of index: Int) -> (chunk: Int, place: Int) {
    let number = index + smallest
    let chunk = number.leadingZeroBitCount.distance(to: smallest.leadingZeroBitCount)
    return (chunk, number - size(of: chunk))
  }

  /// For how many elements there is memory.
  package var capacity: Int { GrowingList.capacity(of: chunks.count) }

  package subscript(index: Int) -> Element {
    get { address(of: index).pointee }
    set { address(of: index).pointee = newValue }
  }

  private func address(of index: Int) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0 && index < count, "There is no element \(index) among \(count).")
    let (chunk, place) = GrowingList.position(of: index)
    return chunks[chunk] + place
  }

  /// Takes all elements out.
  ///
  /// - Parameter capacity: For how many elements memory is kept at most.
  package mutating func removeAll(keepingCapacity capacity: Int = 0) {
    let former = count
    (next, end, count) = (nil, nil, 0)
    endElements(former)
    while GrowingList.capacity(of: chunks.count) > capacity { chunks.removeLast().deallocate() }
  }

  private func endElements(_ count: Int) {
    var rest = count
    for (place, chunk) in chunks.enumerated() where rest > 0 {
      let there = min(rest, GrowingList.size(of: place))
      chunk.deinitialize(count: there)
      rest -= there
    }
  }

  private static func capacity(of chunks: Int) -> Int { size(of: chunks) - smallest }
}
