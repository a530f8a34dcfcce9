#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// Sets this transfer as the context of libcurl's callbacks, on the loop's thread. The loop retains it meanwhile.
    func setContext(_ handle: UnsafeMutableRawPointer) {
      let context = Unmanaged.passUnretained(self).toOpaque()
      clh_set_pointer(handle, CURLOPT_PRIVATE, context)
      clh_set_pointer(handle, CURLOPT_PREREQDATA, context)
      clh_set_pointer(handle, CURLOPT_HEADERDATA, context)
      clh_set_pointer(handle, CURLOPT_WRITEDATA, context)
      if hasStreamedBody { clh_set_pointer(handle, CURLOPT_READDATA, context) }
    }

    /// Whether libcurl reads the request's body through a callback.
    private var hasStreamedBody: Bool { request.body != nil && !isBodyInline }

    /// Sets the callbacks, which use that context. The callbacks of a response do not retain the transfer, since the loop does.
    func setCallbacks(_ handle: UnsafeMutableRawPointer) {
      clh_set_prerequest(handle) { context, _, _, _, _ in
        guard let context else { return Int32(CURL_PREREQFUNC_ABORT) }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context)
        return Int32(
          transfer._withUnsafeGuaranteedRef { $0.prepareToSend() } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
      }
      clh_set_data_function(handle, CURLOPT_HEADERFUNCTION) { data, size, count, context in
        guard let data, let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: data, count: size * count)
        let isTaken = Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receiveHeader(line) }
        return isTaken ? line.count : 0
      }
      clh_set_data_function(handle, CURLOPT_WRITEFUNCTION) { data, size, count, context in
        guard let data, let context else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
        return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(bytes) }
      }
      guard hasStreamedBody else { return }
      clh_set_data_function(handle, CURLOPT_READFUNCTION) { data, size, count, context in
        guard let data, let context else { return Int(CURL_READFUNC_ABORT) }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.send(into: UnsafeMutableRawBufferPointer(start: data, count: size * count))
      }
    }

    /// Returns the transfer of a handle that is in the loop.
    static func transfer(of handle: UnsafeMutableRawPointer) -> CurlTransfer? {
      var context: UnsafeMutableRawPointer?
      guard clh_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
      return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Receives a line of the header. False ends the transfer.
    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
      recordActivity()
      guard headParser.byteCount + line.count <= request.limits.headers else {
        return reject(.tooLarge(.headers(limit: request.limits.headers)))
      }
      let head = headParser.append(line)
      if headParser.isInterim {
        if phase == .waiting { beginWaitingForResponse() }
      } else if phase != .receiving {
        phase = .receiving
        // Silence has another deadline from now on, which may be sooner.
        loop.scheduleDeadline(of: self)
      }
      guard let head else { return true }
      hasBody = request.method != .head && head.status != 204 && head.status != 304
      if hasBody, head.isEncoded { decoding = ContentDecoding(of: head, to: request) }
      if let problem = problem(with: head) {
        // A refusal counts by its status, whatever its body is; the body of a success must be complete.
        if !head.isSuccess { publish(head) }
        return reject(problem, status: head.status)
      }
      publish(head)
      loop.scheduleDeadline(of: self)
      loop.scheduleNotification(of: self)
      return true
    }

    private func publish(_ head: RawResponseHead) {
      shared.withLock { shared in
        if shared.result == nil { shared.head = head }
      }
    }

    /// Returns an error of the body that its head already shows.
    private func problem(with head: RawResponseHead) -> HTTPError.Kind? {
      if hasBody, head.framing.isAmbiguous { return .interrupted(.malformed) }
      guard let length = bodyLength(of: head), length > request.limits.body else { return nil }
      return .tooLarge(.body(limit: Int(clamping: request.limits.body)))
    }

    /// Returns the declared length of the body, if there is a body.
    func bodyLength(of head: RawResponseHead) -> Int64? { hasBody ? head.framing.length : nil }

    /// Receives bytes of the body, as they arrive, and returns the number of bytes accepted.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
      recordActivity()
      let (received, isTooMany) = receivedBytes.addingReportingOverflow(Int64(bytes.count))
      if let excess = exceededLimit(of: isTooMany ? .max : received) {
        _ = reject(excess)
        return 0
      }
      enum Answer {
        case taken, paused, ended
      }
      let answer: Answer = shared.withLock { shared in
        guard shared.result == nil else { return .ended }
        // Of a response that is no success only the beginning is read, however the request reads its body.
        let isWanted = request.readsWholeBody && shared.head.map { (200..<300).contains($0.status) } == true
        guard isWanted || shared.incoming.count < max(1, loop.options.bufferedBytes) else {
          shared.isReceivingPaused = true
          return .paused
        }
        shared.incoming.append(contentsOf: bytes)
        return .taken
      }
      switch answer {
      case .ended: return 0
      case .paused:
        loop.scheduleNotification(of: self)
        return Int(CURL_WRITEFUNC_PAUSE)
      case .taken:
        receivedBytes = received
        loop.scheduleNotification(of: self)
        if isStillSending { loop.scheduleDeadline(of: self) }
        if let progress = request.downloadProgress {
          let head = shared.withLock { $0.head }
          progress(TransferProgress(bytes: received, total: head.flatMap(bodyLength)))
        }
        return bytes.count
      }
    }

    /// 1 MiB: of a compressed refusal, whose beginning is read, no more is accepted, whatever its decompressed size is.
    private static let maximumCompressedErrorBody: Int64 = 1 << 20

    /// Returns the limit that a body of this many bytes exceeds. An encoded body is decompressed only for its reader.
    private func exceededLimit(of received: Int64) -> HTTPError.Kind? {
      let limits = request.limits
      if received > limits.body { return .tooLarge(.body(limit: Int(clamping: limits.body))) }
      if decoding != nil, received > Self.maximumCompressedErrorBody, shared.withLock({ $0.head?.isSuccess == false }) {
        return .tooLarge(.body(limit: Int(Self.maximumCompressedErrorBody)))
      }
      if decoding == nil, received > limits.decompressedBody {
        return .tooLarge(.decompressedBody(limit: Int(clamping: limits.decompressedBody)))
      }
      return nil
    }

    private func reject(_ kind: HTTPError.Kind, status: Int? = nil) -> Bool {
      localError = HTTPError(kind, delivery: .responded, status: status)
      return false
    }

    /// Provides bytes of the request's body, and returns their number, or one of libcurl's special codes.
    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      recordActivity()
      let (answer, waiter) = shared.withLock { shared in
        guard shared.result == nil else {
          return (UploadBuffer.ReadResult.failed(nil), nil as UnsafeContinuation<Bool, Never>?)
        }
        return shared.uploadBuffer.read(into: buffer)
      }
      waiter?.resume(returning: true)
      switch answer {
      case .bytes(let count):
        uploadedBytes += Int64(count)
        if let length = uploadLength {
          if uploadedBytes > length { return abortBody(nil) }
          if uploadedBytes == length { completeRequest() }
        }
        request.uploadProgress?(TransferProgress(bytes: uploadedBytes, total: uploadLength))
        return count
      case .waiting: return Int(CURL_READFUNC_PAUSE)
      case .complete:
        if let length = uploadLength, uploadedBytes != length { return abortBody(nil) }
        completeRequest()
        return 0
      case .failed(let error): return abortBody(error)
      }
    }

    private func abortBody(_ error: (any Error)?) -> Int {
      let delivery: HTTPError.Delivery = shared.withLock { $0.head == nil } ? .maybeSent : .responded
      localError = HTTPError(HTTPError.Kind(.requestBody, delivery), delivery: delivery, underlying: error)
      return Int(CURL_READFUNC_ABORT)
    }
  }
#endif
