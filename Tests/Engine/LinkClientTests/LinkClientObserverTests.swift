#if canImport(Observation)
    import LinkClient
    import Observation
    import Testing

    @MainActor struct LinkClientObserverTests {
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        @Test(.timeLimit(.minutes(15))) func observerFollowsTheState() async throws {
            let test = try TestClient(bundled: try Sample.signed())
            let observer = LinkClientObserver(test.client)
            #expect(observer.state.table == nil)
            let running = Task { await observer.run() }
            await test.client.load()
            // As a view does: read, and wait for the next change.
            while observer.state.table == nil {
                await withCheckedContinuation { changed in
                    withObservationTracking {
                        _ = observer.state
                    } onChange: {
                        changed.resume()
                    }
                }
            }
            #expect(observer.state == test.client.state)
            running.cancel()
            await running.value
        }
    }
#endif
