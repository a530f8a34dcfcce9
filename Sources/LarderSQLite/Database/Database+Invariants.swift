#if DEBUG
  import LarderSupport

  extension Database {
    /// Checks the write queue when a thread's turn to write ends: the thread has the write lock, and leaves neither a
    /// transaction nor readers that were not given back.
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
