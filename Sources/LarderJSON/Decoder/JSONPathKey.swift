/// A step of a coding path: a key of the document, converted by the decoder's strategy, or an index of an array.
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
