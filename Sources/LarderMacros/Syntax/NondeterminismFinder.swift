import SwiftSyntax

extension ExprSyntax {
  /// Returns whether an initial value almost certainly differs between objects: a new UUID, the time, a random value.
  func isNondeterministic(as type: TypeSyntax?) -> Bool {
    let search = NondeterminismFinder(type)
    search.walk(self)
    return search.isFound
  }
}

/// Finds calls whose results differ each time.
private final class NondeterminismFinder: SyntaxVisitor {
  private static let types: Set<String> = ["UUID", "Date"]
  private static let methods: Set<String> = ["random", "randomElement", "shuffled"]

  private let annotation: String?
  private(set) var isFound = false

  init(_ annotation: TypeSyntax?) {
    self.annotation = annotation.map { NondeterminismFinder.last($0.trimmedDescription) }
    super.init(viewMode: .sourceAccurate)
  }

  private static func last(_ name: String) -> String { String(name.split(separator: ".").last ?? "") }

  /// A closure is the same value each time, unless it is called at once.
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id ? .visitChildren : .skipChildren
  }

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let called = node.calledExpression
    guard let member = called.as(MemberAccessExprSyntax.self) else {
      if NondeterminismFinder.types.contains(called.trimmedDescription), node.arguments.isEmpty { isFound = true }
      return .visitChildren
    }
    let name = member.declName.baseName.text
    if NondeterminismFinder.methods.contains(name) { isFound = true }
    if node.arguments.isEmpty {
      // Foundation.UUID(), UUID.init(), and .init() with such a type annotation.
      let made =
        name == "init" ? member.base.map { NondeterminismFinder.last($0.trimmedDescription) } ?? annotation : name
      if made.map(NondeterminismFinder.types.contains) == true { isFound = true }
    }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let base = node.base.map { NondeterminismFinder.last($0.trimmedDescription) }
    if node.declName.baseName.text == "now", base == nil || base == "Date" { isFound = true }
    return .visitChildren
  }
}
