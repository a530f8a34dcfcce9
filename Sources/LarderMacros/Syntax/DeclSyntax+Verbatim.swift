import SwiftSyntax

// Code that is passed to the compiler as text. The compiler parses it in any case; building a syntax tree here first took most of
// the
// time that the plug-in needed for a class.

extension DeclSyntax {
  init(verbatim text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  init(verbatim text: String) {
    self.init(accessorSpecifier: .identifier(text))
  }
}
