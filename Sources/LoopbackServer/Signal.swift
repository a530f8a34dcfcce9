import CLoopbackServer
import Foundation

/// A flag for which a thread can wait together with a socket: a pipe with a byte in it while raised.
final class Signal: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(LoopbackServerError) {
    var ends: [Int32] = [-1, -1]
    let error = clb_pipe(&ends)
    guard error == 0 else { throw .system(errno: error) }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func raise() {
    var byte: UInt8 = 1
    // A full pipe is raised already.
    _ = write(writeEnd, &byte, 1)
  }

  func lower() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
  }
}
