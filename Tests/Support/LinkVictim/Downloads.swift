import Flushes
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether the file that is downloaded was in its folder, each time that this was written to the disk.
private let flushes = Mutex<[Bool]>([])

/// Downloads a file, and prints what was found when its folder was written to the disk.
func download(to path: String) async throws {
  guard let base = URL(string: "https://h") else { return }
  let file = URL(filePath: path)
  let name = file.lastPathComponent
  #if os(Linux)
    Flushes.watch { descriptor in
      if Flushes.isFolder(descriptor) {
        flushes.withLock { $0.append(faccessat(descriptor, name, F_OK, 0) == 0) }
      }
      return nil
    }
  #endif
  let client = HTTPClient(baseURL: base, transport: TransportStub { _ in .json("[]") })
  try await client.download(.get("/x"), to: file)
  print("found=\(flushes.withLock { $0 })")
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
