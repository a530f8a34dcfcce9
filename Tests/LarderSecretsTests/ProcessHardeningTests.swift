import DurabilityWork
import Foundation
import LarderSecrets
import Testing

#if os(Linux)
  @Suite struct ProcessHardeningTests {
    private struct Crash {
      let end: ChildProcess.End
      let core: Bool
      let files: [String]
      let printed: String
    }

    private func crash(_ kind: String) throws -> Crash {
      let folder = try WorkFolder()
      let inside = folder.path("inside")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
      let process = try ChildProcess("SecretVictim", ["crash", inside, kind], output: folder.file("printed"))
      let (end, core) = process.waitForCore()
      return Crash(
        end: end, core: core, files: try FileManager.default.contentsOfDirectory(atPath: inside),
        printed: process.printed)
    }

    @Test func aHardenedProcessLeavesNoCore() throws {
      let hardened = try crash("hardened")
      #expect(hardened.end == .signal(SIGSEGV))
      #expect(!hardened.core && hardened.files.isEmpty)
      // What the kernel goes by, wherever it would write a core and whether it would at all.
      #expect(hardened.printed == "dumpable 0, limits 0 0\n")
      let plain = try crash("plain")
      #expect(plain.end == .signal(SIGSEGV))
      #expect(plain.printed.hasPrefix("dumpable 1, limits "), "It is the hardening that did it.")
    }
  }
#endif
