import Foundation
import Larder
import OtherNames

// snippet: names of a file
import struct LarderHTTP.HTTPClient
import protocol LarderHTTP.LogHandler

// snippet end

/// What other files cannot write without the name of a module.
struct Silence: LogHandler {
  static func client(of url: URL, fields: HTTPHeaders) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.headers = fields
    configuration.logger = HTTPLogger(handler: Silence())
    return HTTPClient(
      baseURL: url, configuration: configuration, transport: TransportStub { .text($0.method.rawValue) })
  }

  func log(_ entry: LogEntry) {}
}
