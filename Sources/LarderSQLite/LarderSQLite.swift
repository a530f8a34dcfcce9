// LarderSQLite: a thin, fast driver over the system's SQLite.
//
// This module is a layer of the package, not a product: its symbols are public because the layer above specialises its
// loops into users' modules, and they may change in any version. It knows SQLite and nothing of models.
//
//   Connection   one SQLite connection, used by one thread at a time
//   Statement    a prepared statement: bind, step, read columns; nothing here costs more than the call into SQLite
//   Database     one writing connection behind a fair queue, and a pool of reading ones
//   Settings     every limit and default, with its reason
//   SQLiteError  what went wrong, where, and what to do about it
//
//     let database = try Database(path: "store.db")
//     try database.write { connection in
//       try connection.execute("CREATE TABLE IF NOT EXISTS fruit(name TEXT) STRICT")
//       let insert = try connection.statement(for: "INSERT INTO fruit VALUES (?)")
//       defer { insert.checkIn() }
//       insert.bind(1, "pear")
//       try insert.run()
//     }
