import Foundation
import LarderTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// Whoever reads the output may stop: that ends the command, and is no mistake of it.
signal(SIGPIPE, SIG_DFL)
let terminal = Terminal(output: .standardOutput, errors: .standardError, isInteractive: isatty(2) == 1)
exit(Tool(terminal).run(Array(CommandLine.arguments.dropFirst())).rawValue)
