/// Why the command cannot do what it was asked for, in a sentence.
package struct ToolError: Error, CustomStringConvertible {
  package let description: String
}
