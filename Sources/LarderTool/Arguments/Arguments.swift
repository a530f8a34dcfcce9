/// What somebody has typed after a command's name.
struct Arguments {
  /// A mistake, in a sentence.
  struct Mistake: Error {
    let reason: String
  }

  private(set) var values: [String] = []
  private var flags: Set<String> = []

  /// - Parameter known: The flags that the command has.
  init(_ words: [String], flags known: Set<String>) throws {
    var areFlagsOver = false
    for word in words {
      if !areFlagsOver, word == "--" {
        areFlagsOver = true
      } else if !areFlagsOver, word.hasPrefix("-"), word != "-" {
        guard known.contains(word) else { throw Mistake(reason: "There is no option \(word) here.") }
        flags.insert(word)
      } else {
        values.append(word)
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The values, which must be so many.
  func values(_ names: [String], optional: Int = 0) throws -> [String] {
    guard values.count >= names.count - optional else {
      throw Mistake(reason: "\(names[values.count]) is missing.")
    }
    guard values.count <= names.count else {
      throw Mistake(reason: "There is one word too many: \(values[names.count]).")
    }
    return values
  }
}
