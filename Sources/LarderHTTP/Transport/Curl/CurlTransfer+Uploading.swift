#if os(Linux)
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// An item from the task that feeds a body.
    enum UploadItem {
      case chunk(Data)
      case end
      case failure(any Error)
    }

    /// Adds an item, once there is space for it. False if no more is accepted.
    func enqueue(_ fed: UploadItem) async -> Bool {
      switch fed {
      case .end: return finishFeeding(nil, isFailure: false)
      case .failure(let error): return finishFeeding(error, isFailure: true)
      case .chunk(let data):
        guard !data.isEmpty else { return true }
        while true {
          switch shared.withLock({ $0.uploadBuffer.append(data) }) {
          case .closed: return false
          case .appended(let isToResume):
            if isToResume { loop.resume(self) }
            return true
          case .full:
            let isOpen = await withUnsafeContinuation { (waiter: UnsafeContinuation<Bool, Never>) in
              if !shared.withLock({ $0.uploadBuffer.enqueueWaiter(waiter) }) { waiter.resume(returning: true) }
            }
            if !isOpen { return false }
          }
        }
      }
    }

    private func finishFeeding(_ error: (any Error)?, isFailure: Bool) -> Bool {
      if shared.withLock({ $0.uploadBuffer.finish(with: error, isFailure: isFailure) }) { loop.resume(self) }
      return false
    }
  }

  /// 64 KiB: the size of the parts in which a file is read.
  private let fileChunkSize = 64 << 10

  /// Produces a body, part by part, in a task of its own, which ends with the transfer.
  func feed(_ body: RequestBody, to take: (CurlTransfer.UploadItem) async -> Bool) async {
    do {
      switch body.content {
      case .data(let data):
        guard await take(.chunk(data)) else { return }
      case .encodable: break
      case .file(let url):
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        while let part = try file.read(upToCount: fileChunkSize), !part.isEmpty {
          guard await take(.chunk(part)) else { return }
        }
      case .stream(_, let make):
        let parts = make()
        while let part = try await parts() {
          guard await take(.chunk(part)) else { return }
        }
      }
      _ = await take(.end)
    } catch {
      _ = await take(.failure(error))
    }
  }
#endif
