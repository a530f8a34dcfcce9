/// Where a reader stands in an object or array that is open.
@usableFromInline
struct Frame {
  /// The latest key as it is written, without quotes. Nil in an array, and where the window has moved past the key:
  /// then ``Window/copiedKeys`` has it.
  var key: UnsafePointer<UInt8>?
  /// In an object the length of the latest key, in an array the place of the latest element; -1 before the first. Where the
  /// comma behind the latest has been passed and nothing has come behind it: less than -1, of which ``latestLengthOrIndex`` makes sense.
  @usableFromInline var lengthOrIndex: Int
  var isObject: Bool

  init(isObject: Bool) {
    key = nil
    lengthOrIndex = -1
    self.isObject = isObject
  }

  /// The length or place of what came last, whether its comma has been passed or not; -1 where nothing has come.
  var latestLengthOrIndex: Int { lengthOrIndex < -1 ? -2 - lengthOrIndex : lengthOrIndex }

  /// Notes that a comma has been passed. The number is negative from there on, as it is where no comma must come: so the
  /// usual way of reading need not look for it.
  mutating func markComma() {
    if lengthOrIndex >= 0 { lengthOrIndex = -2 - lengthOrIndex }
  }
}

/// The bytes that a reader has not yet read, in one piece, and what it needs seldom.
@usableFromInline
final class Window {
  /// Where bytes come from.
  enum Source {
    /// They are all here, and somebody else's.
    case whole
    /// Somebody feeds them.
    case fed
    /// They are asked for: the function fills the buffer with one byte or more and returns how many, or 0 at the end.
    case pulled((UnsafeMutableRawBufferPointer) throws -> Int)
  }

  let limits: JSONLimits
  let source: Source
  /// How much is asked for at once, and what the window begins with.
  let chunkSize: Int
  /// The first byte; owned unless the source is `whole`.
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count: Int
  private var capacity: Int
  /// The place in the document of the first byte here.
  private(set) var offset = 0
  /// Bytes from here on stay although they are read, since they may be read again.
  var pin: Int?
  /// Something was asked for that was not there.
  var isExhausted = false
  /// Whether the first bytes have been looked at for a byte order mark.
  private var hasCheckedByteOrderMark = false

  /// Open objects and arrays; the first stands for the document.
  private(set) var frames: UnsafeMutablePointer<Frame>
  private(set) var frameCapacity = Window.initialFrameCapacity
  /// Keys of open objects that the window has moved past, by depth.
  var copiedKeys: [String] = []
  /// Where strings with escapes are written out.
  private(set) var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 0
  /// A skip that could not be finished: the depth at which it ends, and whether a value is to be skipped before a comma.
  var suspendedSkip: (depth: Int, awaitsValue: Bool)?
  /// The key whose colon has not come, where ``JSONReader/awaitsColon`` says that there is one.
  var pendingKey = PendingKey()
  /// The latest string whose end had not come, where ``JSONReader/hasPartialString`` says that there is one.
  var partialString = PartialString()
  /// The latest number whose end had not come, where ``JSONReader/hasPartialNumber`` says that there is one.
  var partialNumber = PartialNumber()
  /// How many bytes have been moved, or looked at again since something was cut off: never many more than have come. For
  /// tests.
  var rereadByteCount = 0

  /// 32 levels are more than most documents have; it grows up to the limit.
  private static let initialFrameCapacity = 32
  /// 64 KiB: what a socket gives at once, and small beside a processor's second cache.
  static let defaultChunkSize = 65_536

  init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    source = .whole
    self.limits = limits
    chunkSize = 0
    // Never written to: the source is `whole`.
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

  /// What an empty buffer points to. Immutable, since nothing of it is ever read or written.
  nonisolated(unsafe) static let emptyBuffer: UnsafePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  var end: UnsafePointer<UInt8> { UnsafePointer(base + count) }
}

// MARK: - Room

extension Window {
  /// Whether so many more bytes go behind those that are here, and little of what is here has been read, `used` bytes or those
  /// before the pin.
  func hasCapacity(for more: Int, used: Int) -> Bool {
    let read = min(used, pin ?? used)
    return count - read > read && count + more <= capacity
  }

  /// Drops what has been read, and makes room for so many more behind what is left.
  ///
  /// What is left is moved only where no more of it is left than is dropped, or into a window of twice the size: so no more
  /// bytes are moved than come, however few come at a time.
  ///
  /// - Returns: How many bytes were dropped.
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

  /// Lets the source fill what room there is; returns how many bytes came.
  func pull(_ source: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int {
    let room = UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    let came = min(max(try source(room), 0), room.count)
    count += came
    return came
  }

  /// The length of a byte order mark at the beginning, once: RFC 8259, section 8.1, lets a reader ignore it.
  ///
  /// Nil where more bytes are needed to know.
  func byteOrderMark(isFinished: Bool) -> Int? {
    guard !hasCheckedByteOrderMark else { return 0 }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let seen = min(count, mark.count)
    let matches = (0..<seen).allSatisfy { base[$0] == mark[$0] }
    if matches, seen < mark.count, !isFinished { return nil }
    hasCheckedByteOrderMark = true
    return matches && seen == mark.count ? mark.count : 0
  }

  /// Keeps the key of an open object that the window moves past.
  func copyKey(_ key: String, at level: Int) {
    while copiedKeys.count <= level { copiedKeys.append("") }
    copiedKeys[level] = key
  }

  /// Room for what a string is when its escapes are written out: never longer than they are.
  func scratch(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if count > scratchCapacity {
      scratch.deallocate()
      scratchCapacity = max(count, 256)
      scratch = .allocate(capacity: scratchCapacity)
    }
    return scratch
  }

  /// The deepest for which there is room, and which the limit allows.
  var lastFrame: UnsafeMutablePointer<Frame> { frames + min(frameCapacity - 1, max(limits.maximumDepth, 0)) }

  func growFrames() {
    let grown = UnsafeMutablePointer<Frame>.allocate(capacity: frameCapacity * 2)
    grown.moveInitialize(from: frames, count: frameCapacity)
    frames.deallocate()
    frames = grown
    frameCapacity *= 2
  }
}
