/// How the trips' server answers, as somebody who tries out the page wants it.
enum ServerBehaviour: String, CaseIterable, Sendable {
  /// As it should.
  case well
  /// With the trips, after a while.
  case late
  /// With a status that tells of a failure.
  case error
  /// Never.
  case silent
  /// With a page of HTML, as a hotel's network does before one has signed in.
  case html
  /// With half of the JSON.
  case truncated
  /// With a trip whose name is a number.
  case nonsense
  /// Not at all: nobody listens at its address.
  case gone
}
