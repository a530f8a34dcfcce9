/// What the requests of one call have in common: the one that an interceptor is given, and its copies, however they are
/// changed.
///
/// One that an interceptor makes by ``HTTPRequest/init(_:_:headers:body:name:)`` has none, and is another request. Sent
/// elsewhere, it is not kept from doing the deed of the call twice.
final class CallMark: Sendable {}
