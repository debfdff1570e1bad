/// The body of a request was not complete in time.
struct LateBody: Error {
    let seconds: Int
}

/// The connection broke within the body of a request; nobody reads the response.
struct LostBody: Error {}
