/// The body of a request was not complete in time.
package struct LateBody: Error {
    package let seconds: Int
}

/// The connection broke within the body of a request; nobody reads the response.
package struct LostBody: Error {
    package init() {}
}
