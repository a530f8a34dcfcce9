/// How many times the limit each piece of work may take: the design's budgets.
enum Budget {
  /// What they are for.
  static let records = 100_000
  /// With history, for which the design would allow 2.
  static let insert = 1.8
  static let fetch = 1.8
  static let compositeFetch = 2.2
  /// Of the limit's fetch.
  static let free = 0.7
  static let keptLookUp = 1.6
  static let autocommitLookUp = 1.4
  static let loop = 2.5
  /// Records that are decoded already.
  static let upsert = 1.3
  /// A feed's bytes, beside simdjson and SQLite.
  static let directIngest = 1.25
  static let codableIngest = 2.2
  /// Objects made, related, inserted and saved: as without a relationship.
  static let relatedInsert = 1.8
  static let prefetch = 2.0
  static let walk = 2.5
  static let relatedFilter = 1.5
  static let cascade = 2.0
  /// A save of rows that ten other contexts hold, to one that no other holds.
  static let otherContexts = 1.5
  /// A save of changed rows with its transaction in the history, to one without.
  static let history = 1.1
  /// What a thousand live queries that a save touches none of may add to it.
  static let liveNanoseconds = 1_000_000.0
  static let live = 1.0
  /// What a save of one object may take beyond the commit, where the context holds many more.
  static let singleNanoseconds = 100_000.0
  static let single = 1.0
  /// The loop's cost per record with the most records to that with the fewest, beside the same for plain C: it does
  /// not grow. The tenth is the noise of a shared machine.
  static let growth = 1.1
  /// The same for look-ups among what is pending, with eight times as many objects: were each asked, it would be 8.
  static let pendingGrowth = 1.5
  /// The same for upserts and for JSON to rows, from a thousand records to a million.
  static let longGrowth = 1.3
  /// The 99th of a hundred reads while a feed is written, to the same when nothing is.
  static let readBeside = 2.0
  /// What the first hundred of a million rows may take, filtered and sorted by an index: the 99th of a hundred such fetches.
  static let pageNanoseconds = 1_000_000.0
  static let page = 1.0
  /// A request of our client, in time and in the processors' time, to one of plain C's over libcurl.
  static let request = 1.5
  /// The same to one of URLSession: eight times its rate.
  static let requestBesideSession = 0.125
  /// Bytes above start that a feed takes on its way into rows, however long it is: 64 MiB.
  static let ingestMemory = 64 << 20
}

/// What plain C took for a record where the budgets were drawn up. Only their relationships carry over to other machines.
enum Reference {
  static let nanoseconds: [(prefix: String, value: Double)] = [
    ("insert + save", 1_380),
    ("the loop, changed rows, 100000", 1_950),
    ("fetch, every property read", 222),
    ("look-up by unique attribute, kept transaction", 2_000),
    ("look-up by unique attribute, autocommit", 4_000),
  ]
  /// A relationship between two rows that differs by more than this is worth an explanation.
  static let tolerance = 0.3
}
