#if os(Linux)
  extension CurlTransfer {
    /// What gives the body to whoever reads it, once the head is known.
    var bodySource: any ResponseBodySource {
      guard let decoding else { return self }
      return DecodedBody(self, decoding, limit: request.limits.decompressedBody, deadline: totalDeadline)
    }

    /// When all of it has to be done, by the system's clock; `Int64.max` for never.
    private var totalDeadline: Int64 {
      let (time, isTooLate) = startedAt.addingReportingOverflow(deadlines.total)
      return isTooLate ? .max : time
    }
  }
#endif
