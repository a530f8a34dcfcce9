internal import CLarderSQLite
public import CSQLite

// Binding. A failure is kept and thrown by the next step: a loop over a million rows needs no check for each value.
extension Statement {
  /// Binds an integer.
  @inlinable
  public func bind(_ index: Int32, _ value: Int64) {
    if sqlite3_bind_int64(handle, index, value) != SQLITE_OK {
      bindResetting(index) { sqlite3_bind_int64($0, $1, value) }
    }
  }

  /// Binds a number; NaN becomes NULL, as SQLite has no NaN.
  @inlinable
  public func bind(_ index: Int32, _ value: Double) {
    if sqlite3_bind_double(handle, index, value) != SQLITE_OK {
      bindResetting(index) { sqlite3_bind_double($0, $1, value) }
    }
  }

  /// Binds NULL.
  @inlinable
  public func bindNull(_ index: Int32) {
    if sqlite3_bind_null(handle, index) != SQLITE_OK { bindResetting(index) { sqlite3_bind_null($0, $1) } }
  }

  /// Binds a text: its UTF-8 bytes unchanged, NUL included. An empty text is not NULL.
  @inlinable
  public func bind(_ index: Int32, _ value: String) {
    if value.utf8.withContiguousStorageIfAvailable({ bindText(index, $0) }) == nil { bindNonContiguous(index, value) }
  }

  /// Binds a blob. An empty blob is not NULL.
  @inlinable
  public func bind(_ index: Int32, _ value: [UInt8]) {
    value.withUnsafeBytes { bind(index, $0) }
  }

  /// Binds a text given as UTF-8. The bytes are copied.
  @inlinable
  public func bindText(_ index: Int32, _ utf8: UnsafeBufferPointer<UInt8>) {
    guard let slot = slot(index, utf8.count) else { return bindLongText(index, utf8) }
    if let base = utf8.baseAddress { slot.copyMemory(from: base, byteCount: utf8.count) }
    let text = slot.assumingMemoryBound(to: CChar.self)
    // No destructor (SQLITE_STATIC): the slot outlives the binding.
    let code = sqlite3_bind_text(handle, index, text, Int32(truncatingIfNeeded: utf8.count), nil)
    if code != SQLITE_OK { bindLongText(index, utf8) }
  }

  /// Binds a blob. The bytes are copied.
  @inlinable
  public func bind(_ index: Int32, _ value: UnsafeRawBufferPointer) {
    guard let slot = slot(index, value.count) else { return bindLongBlob(index, value) }
    if let base = value.baseAddress { slot.copyMemory(from: base, byteCount: value.count) }
    let code = sqlite3_bind_blob(handle, index, slot, Int32(truncatingIfNeeded: value.count), nil)
    if code != SQLITE_OK { bindLongBlob(index, value) }
  }

  /// Binds a text without copying it.
  ///
  /// - Warning: The memory must not change until the parameter is bound again or cleared, or the statement is
  ///   deallocated.
  @inlinable
  public func bind(_ index: Int32, unownedText utf8: UnsafeBufferPointer<UInt8>) {
    guard let base = utf8.baseAddress, let length = Int32(exactly: utf8.count) else { return bindText(index, utf8) }
    let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
    if sqlite3_bind_text(handle, index, text, length, nil) != SQLITE_OK { bindText(index, utf8) }
  }

  /// Binds a blob without copying it.
  ///
  /// - Warning: The memory must not change until the parameter is bound again or cleared, or the statement is
  ///   deallocated.
  @inlinable
  public func bind(_ index: Int32, unownedBlob bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, let length = Int32(exactly: bytes.count) else { return bind(index, bytes) }
    if sqlite3_bind_blob(handle, index, base, length, nil) != SQLITE_OK { bind(index, bytes) }
  }

  /// Binds an array for `larder_values(?)`. It is retained until the parameter is bound again or the statement is
  /// reset.
  public func bind(_ index: Int32, _ values: BoundValues) {
    guard let storage = values.storage else { return recordBindingFailure(SQLITE_NOMEM) }
    bindResetting(index) { larder_bind_values($0, $1, storage) }
    boundArrays.append(index)
    hasBoundArrays = true
  }

  /// Makes every parameter NULL.
  public func clearBindings() {
    sqlite3_clear_bindings(handle)
    boundArrays.removeAll(keepingCapacity: true)
    hasBoundArrays = false
  }
}

// MARK: - Slots and long values

extension Statement {
  /// Returns the slot of a parameter if a value of this length fits and may be written now.
  @inlinable
  func slot(_ index: Int32, _ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= slotSize, UInt32(bitPattern: index &- 1) < UInt32(bitPattern: parameterCount), !isActive else {
      return nil
    }
    return slots.unsafelyUnwrapped + Int(index &- 1) &* slotSize
  }

  @usableFromInline @inline(never)
  func bindLongText(_ index: Int32, _ utf8: UnsafeBufferPointer<UInt8>) {
    // A text without an address would be NULL.
    guard let base = utf8.baseAddress else {
      return bindResetting(index) { larder_bind_text_copy($0, $1, "", 0) }
    }
    let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
    bindResetting(index) { larder_bind_text_copy($0, $1, text, UInt64(utf8.count)) }
  }

  /// Binds a bridged string, whose bytes are not contiguous.
  @usableFromInline @inline(never)
  func bindNonContiguous(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bindText(index, $0) }
  }

  @usableFromInline @inline(never)
  func bindLongBlob(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return bindResetting(index) { sqlite3_bind_zeroblob($0, $1, 0) } }
    bindResetting(index) { larder_bind_blob_copy($0, $1, base, UInt64(bytes.count)) }
  }

  /// Binds, and resets the statement first if SQLite refuses because it has run to its end without a reset.
  @usableFromInline @inline(never)
  func bindResetting(_ index: Int32, _ bind: (OpaquePointer, Int32) -> Int32) {
    var code = bind(handle, index)
    if code & 0xFF == SQLITE_MISUSE, !isBusy {
      sqlite3_reset(handle)
      isActive = false
      code = bind(handle, index)
    }
    if code != SQLITE_OK { recordBindingFailure(code) }
  }

  @usableFromInline
  func recordBindingFailure(_ code: Int32) {
    if bindingFailure == SQLITE_OK { bindingFailure = code }
  }

  /// Releases bound arrays, which may be large, while the statement waits in a cache.
  @usableFromInline @inline(never)
  func releaseArrays() {
    for index in boundArrays { sqlite3_bind_null(handle, index) }
    boundArrays.removeAll(keepingCapacity: true)
    hasBoundArrays = false
  }
}
