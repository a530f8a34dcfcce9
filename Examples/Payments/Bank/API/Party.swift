/// Which bank it is, and for which customer it answers.
struct Party: Codable, Sendable, Hashable {
  /// The same for as long as the bank has its books.
  var bank: String
  var customer: String

  /// Both, as a client names them.
  var name: String { bank + "/" + customer }
}
