import DurabilityWork
import Foundation
import LarderTool
import Testing

/// Which file had no room, and what is left of it.
@Suite struct FullDiskTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    try Fleet.fill(folder.file("fleet.store"))
  }

  /// A shell whose folder `small` is a disk of so many bytes, in `$0`, that nobody else sees. `$1` is the command.
  private func run(onADiskOf bytes: Int, _ script: String) throws -> String {
    let small = folder.file("small")
    try FileManager.default.createDirectory(at: small, withIntermediateDirectories: true)
    // Whoever is not root is root of a namespace of its own, where the system allows that.
    let own = geteuid() == 0 ? ["-m"] : ["-r", "-m"]
    // Where the root is no mount point of its own, in a chroot, nothing can be made private: so the disk is taken away again.
    let words = try run(own + ["/bin/true"]).end == .exit(0) ? own : own + ["--propagation", "unchanged"]
    let mounting =
      "mount -t tmpfs -o size=\(bytes) larder \"$0\" && cd \"$0\" || exit 9; { \(script); }; end=$?; cd / && umount -l \"$0\"; "
      + "exit $end"
    let (end, printed) = try run(words + ["/bin/sh", "-c", mounting, small.path, ChildProcess.path(of: "larder")])
    #expect(end == .exit(0))
    return printed
  }

  private func run(_ words: [String]) throws -> (end: ChildProcess.End, printed: String) {
    let process = try ChildProcess(
      executable: "/usr/bin/unshare", words, output: folder.file(UUID().uuidString))
    return (process.wait(), process.printed)
  }

  @Test func anExportOnAFullDiskLeavesNothing() throws {
    let said = try run(
      onADiskOf: 64 << 10, #""$1" export ../fleet.store lines; echo "status $?"; echo "left $(ls -A)""#)
    #expect(said.contains("lines cannot be written: the disk is full"), "\(said)")
    #expect(said.contains("status 1") && said.contains("left \n") && !said.contains("Cocoa"), "\(said)")
  }

  @Test func anImportOnAFullDiskGoesOn() throws {
    let export = try ChildProcess(
      "larder", ["export", folder.path("fleet.store"), folder.path("lines")], output: folder.file("said"))
    #expect(export.wait() == .exit(0))
    let said = try run(
      onADiskOf: 2 << 20,
      #"head -c 1900000 /dev/zero > ballast; "$1" import ../lines new.store; echo "status $?"; rm ballast; "#
        + #""$1" import ../lines new.store; echo "again $?"; "$1" check new.store"#)
    #expect(said.contains("new.store cannot be written: the disk is full"), "\(said)")
    #expect(said.contains("status 1") && said.contains("goes on where it was"), "\(said)")
    #expect(!said.contains("COMMIT") && !said.contains("nothing was stored"), "\(said)")
    #expect(said.contains("again 0") && said.contains("nothing is wrong"), "\(said)")
  }

  @Test(arguments: ["export", "inspect"])
  func anOutputThatIsFullIsNamed(_ command: String) throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let pipe = Pipe()
    let terminal = Terminal(output: full, errors: pipe.fileHandleForWriting, isInteractive: false)
    #expect(Tool(terminal).run([command, folder.path("fleet.store")]) == .failure)
    try pipe.fileHandleForWriting.close()
    let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(said.contains("The standard output cannot be written: the disk is full"), "\(said)")
  }

  @Test func aFolderIsNoExport() throws {
    let process = try ChildProcess(
      "larder", ["import", folder.path("."), folder.path("new.store")], output: folder.file("said"))
    #expect(process.wait() == .exit(1))
    #expect(process.printed.contains("cannot be read: Is a directory"), "\(process.printed)")
  }
}
