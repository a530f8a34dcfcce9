#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// Whom libcurl calls, on the loop's thread: this transfer, which the loop holds meanwhile.
    func setContext(_ handle: UnsafeMutableRawPointer) {
      let context = Unmanaged.passUnretained(self).toOpaque()
      clh_set_pointer(handle, CURLOPT_PRIVATE, context)
      clh_set_pointer(handle, CURLOPT_PREREQDATA, context)
      clh_set_pointer(handle, CURLOPT_HEADERDATA, context)
      clh_set_pointer(handle, CURLOPT_WRITEDATA, context)
      if hasStreamedBody { clh_set_pointer(handle, CURLOPT_READDATA, context) }
    }

    /// Whether libcurl asks for the request's body.
    private var hasStreamedBody: Bool { request.body != nil && !isBodyInline }

    /// What it calls, with that transfer. Of what is called for each answer it is not counted: the loop holds it.
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

    /// Whose a handle is, of one that is among the loop's.
    static func transfer(of handle: UnsafeMutableRawPointer) -> CurlTransfer? {
      var context: UnsafeMutableRawPointer?
      guard clh_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
      return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// A line of the header. False ends the transfer.
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
        // A refusal is one by its status, whatever its body is; a success has to be whole.
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

    /// What is known beforehand to be wrong with the body.
    private func problem(with head: RawResponseHead) -> HTTPError.Kind? {
      if hasBody, head.framing.isAmbiguous { return .interrupted(.malformed) }
      guard let length = bodyLength(of: head), length > request.limits.body else { return nil }
      return .tooLarge(.body(limit: Int(clamping: request.limits.body)))
    }

    /// How long the body says that it is, where there will be one.
    func bodyLength(of head: RawResponseHead) -> Int64? { hasBody ? head.framing.length : nil }

    /// Bytes of the body, as they come. Returns how many were taken.
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
        // Of what is no success only the beginning is read, however the request reads its body.
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

    /// 1 MiB: of a compressed refusal, the beginning of which is read, no more is taken, whatever becomes of it.
    private static let maximumCompressedErrorBody: Int64 = 1 << 20

    /// Which limit is passed by a body of so many bytes. What is encoded becomes more only for its reader.
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

    /// Bytes of the request's body. Returns how many there are, or one of libcurl's answers.
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
