/// The arguments after a command's name.
struct Arguments {
  /// A usage error, described in a sentence.
  struct UsageError: Error {
    let reason: String
  }

  private(set) var values: [String] = []
  private var flags: Set<String> = []
  private var options: [String: [String]] = [:]

  /// Parses the words after a command's name.
  ///
  /// - Parameters:
  ///   - known: The command's flags.
  ///   - options: The command's options that are followed by a value.
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

  /// Returns all values of an option, which may be repeated.
  func values(of option: String) -> [String] { options[option] ?? [] }

  /// Returns the value of an option, which may be given once at most.
  func value(of option: String) throws -> String? {
    let given = values(of: option)
    guard given.count <= 1 else { throw UsageError(reason: "\(option) is there more than once.") }
    return given.first
  }

  func hasFlag(_ flag: String) -> Bool { flags.contains(flag) }

  /// Returns the values, and throws unless their number matches the names.
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
