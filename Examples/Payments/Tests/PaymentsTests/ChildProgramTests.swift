import ExampleSupport
import Foundation
import Testing

/// What the examples start other programs by.
@Suite struct ChildProgramTests {
  private func run(_ command: String, input: ChildProgram.Stream = .nothing) throws -> (ChildProgram.End, String) {
    let output = Pipe()
    let program = try ChildProgram(
      URL(filePath: "/bin/sh"), ["-c", command], environment: ["NAME": "a b=c"], input: input, output: .pipe(output))
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return (program.wait(), said)
  }

  @Test func endsAreTold() throws {
    #expect(try run("exit 3").0 == .exit(3))
    #expect(try run("kill -9 $$").0 == .signal(SIGKILL))
    #expect(try run("echo \"$NAME\"").1 == "a b=c\n")
    let input = Pipe()
    let program = try ChildProgram(URL(filePath: "/bin/cat"), input: .pipe(input), output: .nothing)
    #expect(program.isRunning)
    try input.fileHandleForWriting.close()
    #expect(program.wait() == .exit(0) && !program.isRunning && !program.signal(SIGTERM))
    #expect(throws: ChildProgram.NotStarted.self) { try ChildProgram(URL(filePath: "/nowhere")) }
  }

  /// As many as tests have that run at the same time, and none of them is inherited.
  @Test func filesThatAreOpenAreNobodyElses() throws {
    let files = (0..<1_500).map { _ in dup(2) }
    defer { for file in files { close(file) } }
    #expect(files.allSatisfy { $0 > 2 })
    for _ in 0..<20 {
      // ls opens the folder itself.
      let (end, said) = try run("ls /proc/self/fd")
      #expect(end == .exit(0) && said == "0\n1\n2\n3\n")
    }
  }
}
