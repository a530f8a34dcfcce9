#if DEBUG
  import LarderSupport
  import Testing

  @testable import LarderSQLite

  #if canImport(Glibc)
    import Glibc
  #endif

  /// Mistakes that are planted in the write queue are found by the checks of debug builds.
  @Suite struct WriteQueueContractTests {
    let folder = TemporaryFolder()

    @Test func aWriteIsSound() throws {
      let database = try folder.database()
      let found = try Contract.violations { try database.write { try $0.execute("CREATE TABLE other (a)") } }
      #expect(found == [])
    }

    @Test func aTurnOfAnotherThread() throws {
      let database = try folder.database()
      let found = Contract.violations { database._checkInvariants() }
      #expect(found.count == 1 && found[0].hasSuffix("ends a write, and another thread has its write lock."))
    }

    @Test func readersThatWereNotGivenBack() throws {
      let database = try folder.database()
      let found = try Contract.violations {
        try database.withWriter { _ in
          database.sharedReaderCount = 1
          database._checkInvariants()
          database.sharedReaderCount = 0
        }
      }
      #expect(found.count == 1 && found[0].contains("1 readers of its writing connection"))
    }

    @Test func aTransactionThatIsLeftOpen() throws {
      let database = try folder.database()
      let found = try Contract.violations {
        try database.withWriter { connection in
          try connection.execute("BEGIN")
          database.isWriting = false
          database._checkInvariants()
          database.isWriting = true
          try connection.execute("ROLLBACK")
        }
      }
      #expect(found.count == 1 && found[0].contains("open transaction on its writing connection"))
    }

    @Test func aLockThatIsLeftByAnotherThread() {
      let lock = OwnedLock()
      #expect(lock.enter(timeout: .seconds(1)))
      let found = Locked<[String]>([])
      let thread = onThread {
        let violations = Contract.violations { lock.leave() }
        found.withLock { $0 = violations }
      }
      pthread_join(thread, nil)
      #expect(found.withLock { $0 } == ["A thread leaves a lock that it has not."])
    }
  }
#endif
