import Foundation

/// A finding of SQLite's integrity check in plain words: one sentence for each finding, followed by SQLite's own text.
struct CorruptionMessage {
  let sentence: String

  /// Returns the findings of one row.
  ///
  /// - Parameter message: A row of `PRAGMA integrity_check`, which may have several lines.
  static func all(of message: String) -> [CorruptionMessage] {
    message.split(separator: "\n").compactMap { line in
      // A heading, for a connection with several databases.
      let line = String(line)
      return line == "ok" || line.hasPrefix("*** in database") ? nil : CorruptionMessage(line)
    }
  }

  private init(_ line: String) {
    let words = CorruptionMessage.tableMessage(line) ?? CorruptionMessage.pageMessage(line) ?? "The file is damaged"
    sentence = "\(words). (SQLite: \(line))"
  }

  // MARK: Tables and indexes

  private static func tableMessage(_ line: String) -> String? {
    if let (row, index) = split(line, after: "row ", at: " missing from index ") {
      return "Row \(row) is missing from the index \"\(index)\", so that what searches by it does not find the row. "
        + "REINDEX in sqlite3 makes the index anew"
    }
    if let index = rest(of: line, after: "wrong # of entries in index ") {
      return "The index \"\(index)\" has more or fewer entries than its table has rows. REINDEX in sqlite3 makes it "
        + "anew"
    }
    if let index = rest(of: line, after: "non-unique entry in index ") {
      return "Rows agree in what the index \"\(index)\" keeps unique"
    }
    if let column = rest(of: line, after: "NULL value in ") {
      return "A row has no value in \(column), which must have one"
    }
    if let table = rest(of: line, after: "CHECK constraint failed in ") {
      return "A row of \"\(table)\" has values that the table's own rules exclude"
    }
    if let (type, column) = split(line, after: "", at: " value in ") {
      return "A row has a value of another type in \(column): \(type)"
    }
    return nil
  }

  // MARK: Pages

  private static func pageMessage(_ line: String) -> String? {
    if let page = number(in: line, after: "Page "), line.contains("never used") {
      return "Page \(page) of the file belongs to nothing: its place is lost, and nothing else"
    }
    guard let (place, what) = locationAndRest(line) else { return nil }
    return "\(place) \(meaning(what))"
  }

  /// Splits a line into its location and the rest: "On tree page 3 cell 2: …", "On page 3 at right child: …", "Tree 2
  /// page 3 cell 2: …", "Page 3: …", "Freelist: …"
  private static func locationAndRest(_ line: String) -> (String, String)? {
    guard let colon = line.range(of: ": ") else { return nil }
    let (head, rest) = (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
    if head.lowercased().hasSuffix("freelist") { return ("The list of the file's free pages", rest) }
    for word in [" page ", "Page ", "page "] {
      if let page = number(in: head, after: word) { return ("Page \(page) of the file", rest) }
    }
    return nil
  }

  private static func meaning(_ what: String) -> String {
    if ["btreeInitPage()", "unable to get the page", "failed to get page"].contains(where: what.hasPrefix) {
      return "cannot be read as a part of a table or an index: rows that are there are lost"
    }
    if let page = number(in: what, after: "invalid page number ") {
      return "leads to page \(page), which the file does not have: it was cut off, or the page is damaged"
    }
    if let page = number(in: what, after: "2nd reference to page ") {
      return "leads to page \(page), which belongs to something else, too"
    }
    if what.hasPrefix("Rowid ") || what.contains("out of order") { return "has its rows out of their order" }
    if what.contains("overflow list") { return "has a long value of which parts are missing" }
    if what.hasPrefix("Child page depth") { return "belongs to a tree whose branches are of several depths" }
    if what.hasPrefix("Multiple uses for byte") { return "has rows that overlap" }
    if what.hasPrefix("Fragmentation of") { return "miscounts the space that is free in it" }
    if what.contains("out of range") || what.contains("off end of page") {
      return "has a row that does not lie within it"
    }
    return "is damaged"
  }

  // MARK: Text

  private static func rest(of line: String, after beginning: String) -> String? {
    line.hasPrefix(beginning) ? String(line.dropFirst(beginning.count)) : nil
  }

  private static func split(_ line: String, after beginning: String, at middle: String) -> (String, String)? {
    guard let text = rest(of: line, after: beginning), let found = text.range(of: middle) else { return nil }
    return (String(text[..<found.lowerBound]), String(text[found.upperBound...]))
  }

  private static func number(in line: String, after beginning: String) -> String? {
    guard let found = line.range(of: beginning) else { return nil }
    let digits = line[found.upperBound...].prefix { $0.isNumber }
    return digits.isEmpty ? nil : String(digits)
  }
}
