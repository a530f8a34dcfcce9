// LarderSQLite: a thin, fast driver over the system's SQLite.
//
// This module is a layer of the package, not a product. Its symbols are public because the layer above specialises its
// loops into users' modules; they may change in any version. It depends on SQLite and knows no models.
//
//   Connection   one SQLite connection, used by one thread at a time
//   Statement    a prepared statement: bind, step, read columns; each costs no more than the call into SQLite
//   Database     one writing connection behind a fair queue, and a pool of reading ones
//   Settings     every limit and default, with its reason
//   SQLiteError  the failure, its place, and its remedy
//
//     let database = try Database(path: "store.db")
//     try database.write { connection in
//       try connection.execute("CREATE TABLE IF NOT EXISTS fruit(name TEXT) STRICT")
//       let insert = try connection.statement(for: "INSERT INTO fruit VALUES (?)")
//       defer { insert.checkIn() }
//       insert.bind(1, "pear")
//       try insert.run()
//     }
