package import NIOHTTPTypes

/// Sends the responses of a connection or a stream.
package protocol ResponseSender: AnyObject {
    func send(_ response: BufferedResponse)
    /// Runs `body` and flushes all responses that it sends once, at its end.
    func flushingOnce(_ body: () -> Void)
}

/// Takes the requests of a connection. A direct call saves the box around each part that a channel's pipeline needs.
package protocol RequestReceiver: AnyObject {
    func receive(_ part: HTTPRequestPart)
}
