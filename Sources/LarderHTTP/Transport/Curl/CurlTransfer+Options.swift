#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// 8 KiB: a body up to this size is passed to libcurl with the header. libcurl writes 16 KiB at a time, and counts a body
    /// written together with the header as header.
    static let inlineBodyLimit = 8 << 10

    /// 129 KiB, for possible HTTP/2: more than libcurl keeps of a header (128 KiB). With a smaller buffer, 7.88 waits for ever for
    /// the rest of such a header, and overwrites the following data.
    private static let http2BufferSize = 129 << 10
    /// 16 KiB, for mostly small bodies: libcurl allocates a buffer for each transfer.
    private static let wholeBodyBufferSize = 16 << 10
    /// 64 KiB: half a gigabyte arrives in half of the time that it takes with 16 KiB.
    private static let streamBufferSize = 64 << 10

    /// Whether libcurl holds the whole body from the beginning. With an `Expect` field, libcurl would wait for permission over
    /// HTTP/2 too, where few servers send it.
    var isBodyInline: Bool {
      guard case .data(let data) = request.body?.content else { return false }
      return data.count <= Self.inlineBodyLimit && request.uploadProgress == nil && request.headers["Expect"] == nil
    }

    /// Sets the options of a request on a handle.
    func configure(_ taken: CurlHandle, options: CurlTransport.Options) throws(HTTPError) {
      let handle = taken.pointer
      try request.validate()
      clh_set_string(handle, CURLOPT_URL, request.url.absoluteString.withoutFragment)
      if taken.configuration == nil {
        try configureFreshHandle(handle, options)
        setCallbacks(handle)
        setBody(handle)
      }
      setHeaders(handle)
      setContext(handle)
    }

    /// Sets the options that plain requests share; see ``CurlHandleConfiguration``.
    private func configureFreshHandle(_ handle: UnsafeMutableRawPointer, _ options: CurlTransport.Options)
      throws(HTTPError)
    {
      // The URL is sent unchanged; libcurl would remove dot segments.
      clh_set_long(handle, CURLOPT_PATH_AS_IS, 1)
      clh_leave_resolver(handle)
      let code = loop.observeConnections(of: handle)
      guard code == CURLE_OK else {
        throw HTTPError(.notSent(.other(code: Int(code.rawValue))), delivery: .notSent)
      }
      clh_set_long(handle, CURLOPT_NOSIGNAL, 1)
      clh_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
      clh_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1)
      clh_set_long(handle, CURLOPT_MAXAGE_CONN, Int(options.idleTimeout.components.seconds))
      let mayBeHTTP2 = options.allowsHTTP2 && request.url.hasScheme("https")
      clh_set_long(
        handle, CURLOPT_BUFFERSIZE,
        mayBeHTTP2 ? Self.http2BufferSize : request.readsWholeBody ? Self.wholeBodyBufferSize : Self.streamBufferSize)
      // The loop enforces the deadlines; libcurl's own limit would be 300 s.
      clh_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
      clh_set_long(
        handle, CURLOPT_HTTP_VERSION, options.allowsHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
      // Where HTTP/2 is likely, a stream on a connection in progress is better than a second connection.
      if mayBeHTTP2 { clh_set_long(handle, CURLOPT_PIPEWAIT, 1) }
      try configureSecurity(handle, options: options)
    }

    private func setHeaders(_ handle: UnsafeMutableRawPointer) {
      var hasType = !sendsBody
      for field in request.headers.fields {
        if ASCIIText.equal(field.name, "Content-Type") { hasType = true }
        // libcurl removes a field that ends in a colon, and sends one that ends in a semicolon without a value.
        if field.isLatin1 {
          appendHeader(field.name, field.bytes)
        } else {
          appendHeader(field.name, ASCIIText.trimmed(field.value).utf8)
        }
      }
      if !hasType {
        // Without a type, libcurl would declare the body as a form.
        appendHeaderLine(request.body?.contentType.map { "Content-Type: " + $0 } ?? "Content-Type:")
      }
      // A body is sent without waiting for permission: servers that refuse it early close the connection or respond all the same.
      if sendsBody { appendHeaderLine("Expect:") }
      if request.headers["Accept"] == nil { appendHeaderLine("Accept: */*") }
      // Not by libcurl's option, which would decode the body. The parts of a range request must be parts of the unencoded body.
      if request.headers["Accept-Encoding"] == nil {
        appendHeader(
          "Accept-Encoding", (request.headers["Range"] == nil ? ContentCoding.acceptEncoding : "identity").utf8)
      }
      clh_set_list(handle, CURLOPT_HTTPHEADER, headerList)
    }

    /// Whether libcurl would add the fields of a body.
    private var sendsBody: Bool {
      switch request.method {
      case .post, .put, .patch: true
      default: request.body != nil
      }
    }

    /// Appends a field as a line. Each request has several, so the lines are composed on the stack.
    private func appendHeader(_ name: String, _ value: some Collection<UInt8>) {
      let name = name.utf8
      let separator: StaticString = value.isEmpty ? ";" : ": "
      let count = name.count + separator.utf8CodeUnitCount + value.count
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { line in
        var place = 0
        func put(_ byte: UInt8) {
          line[place] = CChar(bitPattern: byte)
          place += 1
        }
        for byte in name { put(byte) }
        separator.withUTF8Buffer { for byte in $0 { put(byte) } }
        for byte in value { put(byte) }
        line[place] = 0
        if let longer = curl_slist_append(headerList, line.baseAddress) { headerList = longer }
      }
    }

    private func appendHeaderLine(_ line: String) {
      guard let longer = curl_slist_append(headerList, line) else { return }
      headerList = longer
    }

    private func setBody(_ handle: UnsafeMutableRawPointer) {
      let method = request.method
      switch request.body?.content {
      case nil:
        switch method {
        case .get: break
        case .head: clh_set_long(handle, CURLOPT_NOBODY, 1)
        case .post, .put, .patch:
          // With a length of zero, which servers expect (RFC 9110, section 8.6).
          setInlineBody(handle, Data())
        default: clh_set_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
        return
      case .data(let data) where isBodyInline:
        setInlineBody(handle, data)
        return
      case .data(let data):
        shared.withLock { $0.uploadBuffer.setContents(data) }
      case .file, .stream, .encodable: break
      }
      clh_set_long(handle, CURLOPT_UPLOAD, 1)
      clh_set_offset(handle, CURLOPT_INFILESIZE_LARGE, uploadLength ?? -1)
      clh_set_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
    }

    private func setInlineBody(_ handle: UnsafeMutableRawPointer, _ data: Data) {
      clh_set_long(handle, CURLOPT_POST, 1)
      clh_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(data.count))
      data.withUnsafeBytes { bytes in
        var nothing: UInt8 = 0
        // libcurl copies the data; it needs a pointer even for no bytes.
        withUnsafeMutablePointer(to: &nothing) { empty in
          let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? UnsafeMutableRawPointer(empty)
          _ = clh_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, start)
        }
      }
      clh_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }

  extension String {
    fileprivate var withoutFragment: String {
      utf8.firstIndex(of: 0x23).map { String(self[..<$0]) } ?? self
    }
  }
#endif
