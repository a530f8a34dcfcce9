/// The position of a reader in an open object or array.
@usableFromInline
struct Frame {
  /// The latest key in the text, without quotes. `nil` in an array, and where the window has moved past the key:
  /// ``Window/copiedKeys`` then has it.
  var key: UnsafePointer<UInt8>?
  /// In an object the length of the latest key, in an array the index of the latest element; -1 before the first. Less than -1
  /// after the comma behind the latest one has been skipped at the end of the input; ``latestLengthOrIndex`` decodes that.
  @usableFromInline var lengthOrIndex: Int
  var isObject: Bool

  init(isObject: Bool) {
    key = nil
    lengthOrIndex = -1
    self.isObject = isObject
  }

  /// The length of the latest key or the index of the latest element, whether its comma was skipped or not; -1 if there is none.
  var latestLengthOrIndex: Int { lengthOrIndex < -1 ? -2 - lengthOrIndex : lengthOrIndex }

  /// Records that a comma has been skipped. The number becomes negative, as it is where no comma may follow, so that the usual path
  /// needs no extra check.
  mutating func markComma() {
    if lengthOrIndex >= 0 { lengthOrIndex = -2 - lengthOrIndex }
  }
}

/// The bytes that a reader has not yet read, in one piece, and state that the reader seldom needs.
@usableFromInline
final class Window {
  /// The source of the bytes.
  enum Source {
    /// All bytes are present, in memory that the caller owns.
    case whole
    /// The caller feeds the bytes.
    case fed
    /// A function fills the buffer with one byte or more and returns their number, or 0 at the end.
    case pulled((UnsafeMutableRawBufferPointer) throws -> Int)
  }

  let limits: JSONLimits
  let source: Source
  /// The number of bytes that are requested at once, and the initial size of the window.
  let chunkSize: Int
  /// The first byte; owned unless the source is `whole`.
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count: Int
  private var capacity: Int
  /// The offset in the document of the first byte here.
  private(set) var offset = 0
  /// The place from which bytes are kept although they have been read, since they may be read again.
  var pin: Int?
  /// Whether the reader needed bytes that had not arrived.
  var isExhausted = false
  /// Whether the first bytes have been checked for a byte order mark.
  private var hasCheckedByteOrderMark = false

  /// The open objects and arrays; the first frame stands for the document.
  private(set) var frames: UnsafeMutablePointer<Frame>
  private(set) var frameCapacity = Window.initialFrameCapacity
  /// Keys of open objects that the window has moved past, by depth.
  var copiedKeys: [String] = []
  /// The buffer for unescaped strings.
  private(set) var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 0
  /// A suspended skip: the depth at which it ends, and whether a value is to be skipped before a comma.
  var suspendedSkip: (depth: Int, awaitsValue: Bool)?
  /// The key whose colon has not arrived, if ``JSONReader/awaitsColon`` is true.
  var pendingKey = PendingKey()
  /// The latest string whose end had not arrived, if ``JSONReader/hasPartialString`` is true.
  var partialString = PartialString()
  /// The latest number whose end had not arrived, if ``JSONReader/hasPartialNumber`` is true.
  var partialNumber = PartialNumber()
  /// The number of bytes that were moved, or scanned again after a token was cut off: never many more than have arrived. For
  /// tests.
  var rereadByteCount = 0

  /// The initial number of frames: 32, more levels than most documents have. It grows up to the limit.
  private static let initialFrameCapacity = 32
  /// 64 KiB: as much as a socket delivers at once, and small compared to a processor's second-level cache.
  static let defaultChunkSize = 65_536

  init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    source = .whole
    self.limits = limits
    chunkSize = 0
    // Never written to, since the source is `whole`.
    base = UnsafeMutablePointer(mutating: bytes.baseAddress ?? Window.emptyBuffer)
    count = bytes.count
    capacity = 0
    frames = .allocate(capacity: frameCapacity)
    frames.initialize(to: Frame(isObject: false))
    scratch = .allocate(capacity: 1)
  }

  init(source: Source, chunkSize step: Int, limits: JSONLimits) {
    self.source = source
    self.limits = limits
    self.chunkSize = max(step, 16)
    base = .allocate(capacity: self.chunkSize)
    capacity = self.chunkSize
    count = 0
    frames = .allocate(capacity: frameCapacity)
    frames.initialize(to: Frame(isObject: false))
    scratch = .allocate(capacity: 1)
  }

  deinit {
    if case .whole = source {} else { base.deallocate() }
    frames.deallocate()
    scratch.deallocate()
  }

  /// The address of an empty buffer. Immutable, since it is never read or written.
  nonisolated(unsafe) static let emptyBuffer: UnsafePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  var end: UnsafePointer<UInt8> { UnsafePointer(base + count) }
}

// MARK: - Capacity

extension Window {
  /// Returns whether `more` bytes fit after the present ones, and only few of the present bytes, `used` or those before the pin,
  /// have
  /// been read.
  func hasCapacity(for more: Int, used: Int) -> Bool {
    let read = min(used, pin ?? used)
    return count - read > read && count + more <= capacity
  }

  /// Drops bytes that have been read, and makes room for `more` bytes after the rest.
  ///
  /// The rest is moved only if it is not longer than the dropped part, or into a window of twice the size: no more bytes are moved
  /// than arrive, however few arrive at a time.
  ///
  /// - Returns: The number of dropped bytes.
  func reserveCapacity(for more: Int, used: Int) -> Int {
    let dropped = min(used, pin ?? used)
    let left = count - dropped
    if left > dropped || left + more > capacity {
      var grown = capacity * 2
      while grown < left + more { grown *= 2 }
      let replacement = UnsafeMutablePointer<UInt8>.allocate(capacity: grown)
      replacement.update(from: base + dropped, count: left)
      base.deallocate()
      base = replacement
      capacity = grown
    } else if left > 0 {
      // The regions may overlap; `update` allows that.
      base.update(from: base + dropped, count: left)
    }
    rereadByteCount += left
    count = left
    offset += dropped
    if let pin { self.pin = pin - dropped }
    return dropped
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Lets the source fill the available room, and returns the number of received bytes.
  func pull(_ source: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int {
    let room = UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    let came = min(max(try source(room), 0), room.count)
    count += came
    return came
  }

  /// Returns the length of a byte order mark at the beginning, once: RFC 8259, section 8.1, lets a reader ignore it.
  ///
  /// Returns `nil` where more bytes are needed to decide.
  func byteOrderMark(isFinished: Bool) -> Int? {
    guard !hasCheckedByteOrderMark else { return 0 }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let seen = min(count, mark.count)
    let matches = (0..<seen).allSatisfy { base[$0] == mark[$0] }
    if matches, seen < mark.count, !isFinished { return nil }
    hasCheckedByteOrderMark = true
    return matches && seen == mark.count ? mark.count : 0
  }

  /// Stores the key of an open object, before the window moves past it.
  func copyKey(_ key: String, at level: Int) {
    while copiedKeys.count <= level { copiedKeys.append("") }
    copiedKeys[level] = key
  }

  /// Returns a buffer for an unescaped string, which is never longer than the escaped one.
  func scratch(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if count > scratchCapacity {
      scratch.deallocate()
      scratchCapacity = max(count, 256)
      scratch = .allocate(capacity: scratchCapacity)
    }
    return scratch
  }

  /// The deepest frame that has room, and that the limit allows.
  var lastFrame: UnsafeMutablePointer<Frame> { frames + min(frameCapacity - 1, max(limits.maximumDepth, 0)) }

  func growFrames() {
    let grown = UnsafeMutablePointer<Frame>.allocate(capacity: frameCapacity * 2)
    grown.moveInitialize(from: frames, count: frameCapacity)
    frames.deallocate()
    frames = grown
    frameCapacity *= 2
  }
}
