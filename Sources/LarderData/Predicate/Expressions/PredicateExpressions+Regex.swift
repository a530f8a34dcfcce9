import Foundation

extension PredicateExpressions.StringContainsRegex: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let subject = try lowering.lower(subject, at: Lowering.offset(offset, of: \Self.subject))
    let pattern = try lowering.lower(regex, at: Lowering.offset(offset, of: \Self.regex))
    return try Lowering.call(subject, pattern) { (subject: Subject.Output, pattern: Regex.Output) in
      subject.contains(pattern)
    }
  }
}
