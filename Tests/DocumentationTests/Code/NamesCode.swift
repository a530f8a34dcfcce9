import Larder
import OtherNames

// A file that imports both says whose each name is.
// snippet: names by module
func status(of client: LarderHTTP.HTTPClient) async throws(HTTPError) -> Int {
  try await client.response(to: LarderHTTP.HTTPRequest(.get, client.baseURL)).status
}
// snippet end

// snippet: names for all
typealias HTTPMethod = LarderHTTP.HTTPMethod
typealias HTTPHeaders = LarderHTTP.HTTPHeaders
// snippet end
