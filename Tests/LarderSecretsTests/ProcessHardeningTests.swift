import DurabilityWork
import Foundation
import LarderSecrets
import Testing

#if os(Linux)
  @Suite struct ProcessHardeningTests {
    private func crash(_ kind: String) throws -> (end: ChildProcess.End, core: Bool, files: [String]) {
      let folder = try WorkFolder()
      let inside = folder.path("inside")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
      let process = try ChildProcess("SecretVictim", ["crash", inside, kind], output: folder.file("printed"))
      let (end, core) = process.waitForCore()
      return (end, core, try FileManager.default.contentsOfDirectory(atPath: inside))
    }

    @Test func aHardenedProcessLeavesNoCore() throws {
      let hardened = try crash("hardened")
      #expect(hardened.end == .signal(SIGSEGV))
      #expect(!hardened.core && hardened.files.isEmpty)
      // Where the system writes cores at all, it does of one that is not.
      let plain = try crash("plain")
      #expect(plain.end == .signal(SIGSEGV))
      if !plain.core { print("note: this system writes no cores (see core_pattern and the hard limit)") }
    }
  }
#endif
