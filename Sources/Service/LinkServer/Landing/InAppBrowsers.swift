import LinkCatalog
import LinkRouting

extension InAppBrowser {
    /// The app's own name.
    var name: String {
        switch self {
        case .instagram: "Instagram"
        case .messenger: "Messenger"
        case .threads: "Threads"
        case .facebook: "Facebook"
        case .tikTok: "TikTok"
        case .x: "X"
        case .linkedIn: "LinkedIn"
        case .snapchat: "Snapchat"
        case .pinterest: "Pinterest"
        case .line: "LINE"
        case .kakaoTalk: "KakaoTalk"
        case .weChat: "WeChat"
        case .telegram: "Telegram"
        case .google: "Google"
        }
    }

    /// How a person leaves the app's browser: where the menu is that offers another one, if that is known.
    func leaving(on platform: Platform?) -> PageText {
        switch self {
        case .instagram, .threads, .tikTok, .linkedIn, .pinterest, .weChat, .telegram: .leaveTop
        case .facebook, .messenger: platform == .android ? .leaveTop : .leaveBottom
        case .kakaoTalk: .leaveBottom
        case .x, .snapchat, .line, .google: .leaveMenu
        }
    }

    /// Returns a URL with which a link leaves the app's browser; nil where no public report says that one works. The apps
    /// stop such ways within months, so a page has more than this one. Remove one that no longer works.
    func escape(to link: String) -> String? {
        let head: String
        switch self {
        // github.com/shalanah/inapp-debugger/pull/23, 2026-09-10: Instagram 445, iOS 27 and Android 16.
        case .instagram: head = "instagram://extbrowser/?url="
        // kmmk808.tistory.com/251, 2025-05-28: iOS and Android.
        case .kakaoTalk: head = "kakaotalk://web/openExternal?url="
        case .messenger, .threads, .facebook, .tikTok, .x, .linkedIn, .snapchat, .pinterest, .line, .weChat, .telegram,
            .google:
            return nil
        }
        return head + link.percentEncoded
    }
}

extension String {
    /// Percent-encoded as the value of a query item.
    var percentEncoded: String {
        var bytes: [UInt8] = []
        appendPercentEncoded(utf8, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
