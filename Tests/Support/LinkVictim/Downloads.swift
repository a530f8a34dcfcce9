import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is downloaded, and whether it was in its folder each time that this was written to the disk.
private let flushes = Mutex((name: "", found: [Bool]()))

/// The system's own, which the one below hides.
private let systemFlush = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "fsync").map {
  unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
}

/// fsync(2) for the whole of this process: nothing else tells that a folder was written to the disk.
@_cdecl("fsync") public func flush(_ descriptor: Int32) -> Int32 {
  var status = stat()
  if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
    flushes.withLock { $0.found.append(faccessat(descriptor, $0.name, F_OK, 0) == 0) }
  }
  return systemFlush?(descriptor) ?? -1
}

/// Downloads a file, and prints what was found when its folder was written to the disk.
func download(to path: String) async throws {
  guard let base = URL(string: "https://h") else { return }
  let file = URL(filePath: path)
  flushes.withLock { $0.name = file.lastPathComponent }
  let client = HTTPClient(baseURL: base, transport: TransportStub { _ in .json("[]") })
  try await client.download(.get("/x"), to: file)
  print("found=\(flushes.withLock { $0.found })")
}

/// Downloads a file of which the half comes, until it is killed.
func stall(to path: String) async throws {
  let server = try ScriptedServer { _ in
    [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .stall]
  }
  defer { server.stop() }
  var options = CurlTransport.Options()
  options.proxy = .none
  let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
  let endpoint = Endpoint<Void>.get("/x").with { $0.deadlines = Deadlines(firstByte: nil, idle: nil, total: nil) }
  try await client.download(endpoint, to: URL(filePath: path))
}
