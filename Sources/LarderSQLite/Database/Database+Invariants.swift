#if DEBUG
  import LarderSupport

  extension Database {
    /// Checks the write queue at the end of a write: the thread holds the write lock, and neither a transaction nor a
    /// checked-out reader remains.
    func _checkInvariants() {
      Contract.require(
        writeLock.isHeldByCurrentThread, "\(debugName) ends a write, and another thread has its write lock.")
      Contract.require(
        sharedReaderCount >= 0, "\(debugName) has \(sharedReaderCount) readers of its writing connection.")
      Contract.require(
        isInMemory || isExclusive || sharedReaderCount == 0,
        "\(debugName) has \(sharedReaderCount) readers of its writing connection outside exclusive use.")
      Contract.require(
        isExclusive || isWriting || writer?.isInTransaction != true,
        "\(debugName) has an open transaction on its writing connection, and its write is over.")
    }

    private var debugName: String { "The database \(path ?? "in memory")" }
  }
#endif
