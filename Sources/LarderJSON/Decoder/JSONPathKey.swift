/// A step of a coding path: a key as the document has it, converted as the decoder was told to, or a place in an array.
struct JSONPathKey: CodingKey, Equatable {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }

  static let parent = JSONPathKey(stringValue: "super")
}
