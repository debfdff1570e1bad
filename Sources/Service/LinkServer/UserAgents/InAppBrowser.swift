/// An app that shows links in a web view of its own. If a User-Agent names several, the first in this order applies: the
/// other apps of Meta also name Facebook.
package enum InAppBrowser: Sendable, CaseIterable {
    case instagram, messenger, threads, facebook, tikTok, x, linkedIn, snapchat, pinterest, line, kakaoTalk, weChat,
        telegram,
        google

    var signs: UserAgent.Signs { self == .google ? [.app, .mobileOnly] : .app }
}
