import LarderSQLite
import Testing

@Test func aRowGoesInAndComesOut() throws {
  let database = try Database(inMemory: Settings())
  try database.write { connection in
    try connection.execute("CREATE TABLE fruit(name TEXT, weight REAL, count INTEGER, raw BLOB) STRICT")
    let insert = try connection.statement(for: "INSERT INTO fruit VALUES (?, ?, ?, ?)")
    defer { insert.checkIn() }
    insert.bind(1, "pe\0ar")
    insert.bind(2, 0.5)
    insert.bind(3, Int64.min)
    insert.bind(4, [])
    try insert.run()
  }
  try database.read { connection in
    let find = try connection.statement(
      for: "SELECT * FROM fruit WHERE name IN (SELECT value FROM larder_values(?))")
    defer { find.checkIn() }
    find.bind(1, BoundValues(["pe\0ar", ""]))
    #expect(try find.step())
    #expect(find.string(0) == "pe\0ar")
    #expect(find.double(1) == 0.5)
    #expect(find.int64(2) == .min)
    #expect(find.type(3) == .blob)
    #expect(try !find.step())
  }
}
