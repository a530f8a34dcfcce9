#if DEBUG
  import LarderSupport

  extension Database {
    /// Checks the write queue when a thread's turn to write ends: the thread has the write lock, and leaves neither a
    /// transaction nor readers that were not given back.
    func _checkInvariants() {
      Contract.require(writeLock.isMine, "\(named) ends a write, and another thread has its write lock.")
      Contract.require(sharedReaders >= 0, "\(named) has \(sharedReaders) readers of its writing connection.")
      Contract.require(
        isInMemory || isHeld || sharedReaders == 0,
        "\(named) has \(sharedReaders) readers of its writing connection outside exclusive use.")
      Contract.require(
        isHeld || isWriting || writer?.isInTransaction != true,
        "\(named) has an open transaction on its writing connection, and its write is over.")
    }

    private var named: String { "The database \(path ?? "in memory")" }
  }
#endif
