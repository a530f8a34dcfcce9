#if os(Linux)
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// What a feeding task hands over.
    enum Fed {
      case part(Data)
      case end
      case failure(any Error)
    }

    /// Takes a part, when there is space for it. False where nothing more is wanted.
    func take(_ fed: Fed) async -> Bool {
      switch fed {
      case .end: return finishFeeding(nil, isFailure: false)
      case .failure(let error): return finishFeeding(error, isFailure: true)
      case .part(let data):
        guard !data.isEmpty else { return true }
        while true {
          switch shared.withLock({ $0.outgoing.add(data) }) {
          case .closed: return false
          case .taken(let isToResume):
            if isToResume { loop.resume(self) }
            return true
          case .full:
            let isOpen = await withUnsafeContinuation { (waiter: UnsafeContinuation<Bool, Never>) in
              if !shared.withLock({ $0.outgoing.wait(waiter) }) { waiter.resume(returning: true) }
            }
            if !isOpen { return false }
          }
        }
      }
    }

    private func finishFeeding(_ error: (any Error)?, isFailure: Bool) -> Bool {
      if shared.withLock({ $0.outgoing.end(with: error, isFailure: isFailure) }) { loop.resume(self) }
      return false
    }
  }

  /// 64 KiB: a file is read in parts of this size.
  private let filePart = 64 << 10

  /// Makes a body, part by part. A task of its own, which ends with the transfer.
  func feed(_ body: RequestBody, to take: (CurlTransfer.Fed) async -> Bool) async {
    do {
      switch body.content {
      case .data(let data):
        guard await take(.part(data)) else { return }
      case .encodable: break
      case .file(let url):
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        while let part = try file.read(upToCount: filePart), !part.isEmpty {
          guard await take(.part(part)) else { return }
        }
      case .stream(_, let make):
        let parts = make()
        while let part = try await parts() {
          guard await take(.part(part)) else { return }
        }
      }
      _ = await take(.end)
    } catch {
      _ = await take(.failure(error))
    }
  }
#endif
