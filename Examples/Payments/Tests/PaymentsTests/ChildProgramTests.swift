import ExampleSupport
import Foundation
import Testing

/// What the examples start other programs by.
@Suite struct ChildProgramTests {
  private static func run(_ command: String) throws -> (ChildProgram.End, String) {
    let output = Pipe()
    let program = try ChildProgram(
      URL(filePath: "/bin/sh"), ["-c", command], environment: ["NAME": "a b=c"], input: .nothing, output: .pipe(output))
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return (program.wait(), said)
  }

  @Test func endsAreTold() throws {
    #expect(try Self.run("exit 3").0 == .exit(3))
    #expect(try Self.run("kill -9 $$").0 == .signal(SIGKILL))
    #expect(try Self.run("echo \"$NAME\"").1 == "a b=c\n")
    let input = Pipe()
    let program = try ChildProgram(URL(filePath: "/bin/cat"), input: .pipe(input), output: .nothing)
    #expect(program.isRunning)
    try input.fileHandleForWriting.close()
    #expect(program.wait() == .exit(0) && !program.isRunning && !program.signal(SIGTERM))
    #expect(throws: ChildProgram.NotStarted.self) { try ChildProgram(URL(filePath: "/nowhere")) }
  }

  /// Also with more of them than Foundation's `Process` gets along with. In a process of its own, from which nobody else is
  /// kept from opening files.
  @Test func filesThatAreOpenAreNobodyElses() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      // Where the system allows fewer, as many as that.
      let count = min(1_500, Int(limit.rlim_cur) - 200)
      for _ in 0..<count { try #require(dup(2) > 2) }
      for _ in 0..<20 {
        // ls opens the folder itself.
        let (end, said) = try Self.run("ls /proc/self/fd")
        #expect(end == .exit(0) && said == "0\n1\n2\n3\n")
      }
    }
  }

  @Test func outputAndErrorsMayChangePlaces() async {
    await #expect(processExitsWith: .success) {
      let (output, error) = (Pipe(), Pipe())
      let own = (dup(1), dup(2))
      try #require(dup2(output.fileHandleForWriting.fileDescriptor, 1) == 1)
      try #require(dup2(error.fileHandleForWriting.fileDescriptor, 2) == 2)
      let program = try ChildProgram(
        URL(filePath: "/bin/sh"), ["-c", "echo out; echo err >&2"], output: .file(.standardError),
        error: .file(.standardOutput))
      #expect(program.wait() == .exit(0))
      #expect(error.fileHandleForReading.availableData == Data("out\n".utf8))
      #expect(output.fileHandleForReading.availableData == Data("err\n".utf8))
      // Nobody reads the pipes any more, and this process may still have something to say.
      try #require(dup2(own.0, 1) == 1 && dup2(own.1, 2) == 2)
    }
  }

  /// Then nobody knows how it ended, and its number may be another's.
  @Test func whoeverElseWaitedTakesTheEndAlong() throws {
    let program = try ChildProgram(URL(filePath: "/bin/true"), input: .nothing, output: .nothing)
    var status: Int32 = 0
    #expect(waitpid(program.processIdentifier, &status, 0) == program.processIdentifier)
    #expect(!program.isRunning && program.wait() == .exit(-1) && !program.signal(SIGTERM))
  }
}
