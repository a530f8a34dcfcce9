import Foundation
import LarderTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// A reader of the output may close it early: the command then ends, which is no error.
signal(SIGPIPE, SIG_DFL)
let terminal = Terminal(output: .standardOutput, errors: .standardError, isInteractive: isatty(2) == 1)
exit(Tool(terminal).run(Array(CommandLine.arguments.dropFirst())).rawValue)
