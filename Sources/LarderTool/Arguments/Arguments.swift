/// What somebody has typed after a command's name.
struct Arguments {
  /// A mistake, in a sentence.
  struct UsageError: Error {
    let reason: String
  }

  private(set) var values: [String] = []
  private var flags: Set<String> = []
  private var options: [String: [String]] = [:]

  /// - Parameters:
  ///   - known: The flags that the command has.
  ///   - options: What it has that is followed by a value.
  init(_ words: [String], flags known: Set<String>, options: Set<String> = []) throws {
    var areFlagsOver = false
    var awaiting: String?
    for word in words {
      if let option = awaiting {
        self.options[option, default: []].append(word)
        awaiting = nil
      } else if !areFlagsOver, word == "--" {
        areFlagsOver = true
      } else if !areFlagsOver, options.contains(word) {
        awaiting = word
      } else if !areFlagsOver, let option = options.first(where: { word.hasPrefix($0 + "=") }) {
        self.options[option, default: []].append(String(word.dropFirst(option.count + 1)))
      } else if !areFlagsOver, word.hasPrefix("-"), word != "-" {
        guard known.contains(word) else { throw UsageError(reason: "There is no option \(word) here.") }
        flags.insert(word)
      } else {
        values.append(word)
      }
    }
    if let awaiting { throw UsageError(reason: "What follows \(awaiting)?") }
  }

  /// What an option was given, each time that it was.
  func values(of option: String) -> [String] { options[option] ?? [] }

  /// What an option was given, once at most.
  func value(of option: String) throws -> String? {
    let given = values(of: option)
    guard given.count <= 1 else { throw UsageError(reason: "\(option) is there more than once.") }
    return given.first
  }

  func hasFlag(_ flag: String) -> Bool { flags.contains(flag) }

  /// The values, which must be so many.
  func values(_ names: [String], optional: Int = 0) throws -> [String] {
    guard values.count >= names.count - optional else {
      throw UsageError(reason: "\(names[values.count]) is missing.")
    }
    guard values.count <= names.count else {
      throw UsageError(reason: "There is one word too many: \(values[names.count]).")
    }
    return values
  }
}
