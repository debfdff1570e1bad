#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#elseif canImport(Darwin)
    public import Foundation
#endif

#if canImport(FoundationNetworking) || canImport(Darwin)
    /// Sends requests with `URLSession`. It stores neither cookies nor responses.
    public struct URLSessionTransport: LinkTransport {
        private let session: URLSession
        private let receiver = Receiver()

        /// - Parameter configuration: Nil for an ephemeral one without caches.
        public init(_ configuration: URLSessionConfiguration? = nil) {
            let standard = URLSessionConfiguration.ephemeral
            standard.urlCache = nil
            standard.httpShouldSetCookies = false
            session = URLSession(configuration: configuration ?? standard, delegate: receiver, delegateQueue: nil)
        }

        public func send(_ request: LinkRequest) async throws -> LinkResponse {
            guard let url = URL(string: request.url) else { throw URLError(.badURL) }
            var message = URLRequest(url: url)
            message.httpMethod = request.method.rawValue
            message.timeoutInterval = Double(request.timeout.components.seconds)
            for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
            if request.method == .post { message.httpBody = Data(request.body) }
            let task = session.dataTask(with: message)
            let receiver = receiver
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    receiver.expect(task.taskIdentifier, Receiver.Transfer(request.maximumBytes, continuation))
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Collects the responses of a session, each up to its limit.
    private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
        struct Transfer: Sendable {
            let maximumBytes: Int
            let continuation: CheckedContinuation<LinkResponse, any Error>
            var body: [UInt8] = []
            var isTooLarge = false

            init(_ maximumBytes: Int, _ continuation: CheckedContinuation<LinkResponse, any Error>) {
                self.maximumBytes = maximumBytes
                self.continuation = continuation
            }
        }

        private let transfers = Locked<[Int: Transfer]>([:])

        func expect(_ task: Int, _ transfer: Transfer) { transfers.withLock { $0[task] = transfer } }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let task = dataTask.taskIdentifier
            let isTooLarge = transfers.withLock { transfers in
                guard transfers[task]?.isTooLarge == false, var transfer = transfers.removeValue(forKey: task) else {
                    return false
                }
                if transfer.body.count + data.count > transfer.maximumBytes {
                    transfer.isTooLarge = true
                    transfer.body = []
                } else {
                    transfer.body += data
                }
                transfers[task] = transfer
                return transfer.isTooLarge
            }
            if isTooLarge { dataTask.cancel() }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let identifier = task.taskIdentifier
            guard let transfer = transfers.withLock({ $0.removeValue(forKey: identifier) }) else { return }
            if transfer.isTooLarge {
                transfer.continuation.resume(throwing: LinkResponseTooLarge(maximumBytes: transfer.maximumBytes))
            } else if let error {
                transfer.continuation.resume(throwing: error)
            } else if let response = task.response as? HTTPURLResponse {
                var headers: [String: String] = [:]
                for (name, value) in response.allHeaderFields {
                    headers["\(name)".lowercased()] = "\(value)"
                }
                transfer.continuation.resume(
                    returning: LinkResponse(status: response.statusCode, headers: headers, body: transfer.body)
                )
            } else {
                transfer.continuation.resume(throwing: URLError(.badServerResponse))
            }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            // The key of the request must not reach another server.
            completionHandler(nil)
        }
    }
#endif
