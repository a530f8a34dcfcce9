#if os(Linux)
  extension CurlTransfer {
    /// The source of the body for the reader, once the head is known.
    var bodySource: any ResponseBodySource {
      guard let decoding else { return self }
      return DecodedBody(self, decoding, limit: request.limits.decompressedBody, deadline: totalDeadline)
    }

    /// The total deadline, by the system's clock; `Int64.max` for none.
    private var totalDeadline: Int64 {
      let (time, isTooLate) = startedAt.addingReportingOverflow(deadlines.total)
      return isTooLate ? .max : time
    }
  }
#endif
