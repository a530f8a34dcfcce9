/// The reason why a command cannot be completed, in a sentence.
package struct ToolError: Error, CustomStringConvertible {
  package let description: String
}
