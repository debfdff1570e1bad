/// The time after which a test gives up waiting. It only ends tests that hang: all tests share the cores with each
/// other and with other programs, so an answer may take minutes.
package enum HangLimit {
    package static let seconds = 600
    package static var duration: Duration { .seconds(seconds) }
}
