import SwiftSyntax

// Code that goes to the compiler as the text that it is. The compiler reads it in any case; making a tree of it here
// first took most of the time that the plug-in needed for a class.

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
