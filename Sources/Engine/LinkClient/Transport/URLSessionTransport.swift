import LinkTable

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
            message.timeoutInterval = request.timeout / .seconds(1)
            for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
            if request.method == .post { message.httpBody = Data(request.body) }
            let task = session.dataTask(with: message)
            let receiver = receiver
            // `timeoutInterval` restarts with each part of a response. This task ends with the function, which cancels
            // it.
            let timer = Task {
                try await Task.sleep(for: request.timeout)
                receiver.end(task.taskIdentifier, URLError(.timedOut))
                task.cancel()
            }
            defer {
                timer.cancel()
                receiver.forget(task.taskIdentifier)
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    receiver.expect(task.taskIdentifier, Receiver.Transfer(request.maximumBytes, continuation))
                    task.resume()
                }
            } onCancel: {
                receiver.end(task.taskIdentifier, CancellationError())
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

            init(_ maximumBytes: Int, _ continuation: CheckedContinuation<LinkResponse, any Error>) {
                self.maximumBytes = maximumBytes
                self.continuation = continuation
            }
        }

        private struct Transfers: Sendable {
            var active: [Int: Transfer] = [:]
            /// The reasons of transfers that ended before they began.
            var ended: [Int: any Error] = [:]
        }

        private let transfers = Locked(Transfers())

        func expect(_ task: Int, _ transfer: Transfer) {
            let error = transfers.withLock { transfers in
                let error = transfers.ended.removeValue(forKey: task)
                if error == nil { transfers.active[task] = transfer }
                return error
            }
            if let error { transfer.continuation.resume(throwing: error) }
        }

        /// Ends a transfer with an error, also before it has begun. Does not rely on a call of the session, which differs
        /// between platforms.
        func end(_ task: Int, _ error: any Error) {
            let transfer = transfers.withLock { transfers in
                let transfer = transfers.active.removeValue(forKey: task)
                if transfer == nil { transfers.ended[task] = error }
                return transfer
            }
            transfer?.continuation.resume(throwing: error)
        }

        func forget(_ task: Int) { transfers.withLock { _ = $0.ended.removeValue(forKey: task) } }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let task = dataTask.taskIdentifier
            let exceeded = transfers.withLock { transfers -> Int? in
                guard var transfer = transfers.active.removeValue(forKey: task) else { return nil }
                let isWithinLimit = transfer.body.count + data.count <= transfer.maximumBytes
                if isWithinLimit { transfer.body += data }
                transfers.active[task] = transfer
                return isWithinLimit ? nil : transfer.maximumBytes
            }
            guard let exceeded else { return }
            end(task, LinkResponseTooLarge(maximumBytes: exceeded))
            dataTask.cancel()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let identifier = task.taskIdentifier
            guard let transfer = transfers.withLock({ $0.active.removeValue(forKey: identifier) }) else { return }
            if let error {
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
