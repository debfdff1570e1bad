#if canImport(FoundationNetworking) || canImport(Darwin)
    import Foundation
    public import LinkRouting

    extension LinkContext {
        /// The facts of this app and its device that the system provides: platform, versions and languages. Use it for
        /// ``LinkClient/Configuration/context``. The kind of device is missing where only the main thread can read
        /// it; set it if conditions of the table use it.
        public static var thisApp: LinkContext {
            let system = ProcessInfo.processInfo.operatingSystemVersion
            let bundle = Bundle.main.infoDictionary ?? [:]
            return LinkContext(
                platform: thisPlatform,
                device: thisDevice,
                osVersion: Version("\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"),
                appVersion: (bundle["CFBundleShortVersionString"] as? String).flatMap { Version($0) },
                appBuild: (bundle["CFBundleVersion"] as? String).flatMap { Int64($0) },
                locale: Locale.preferredLanguages.compactMap { LanguageTag($0) }
            )
        }

        private static var thisPlatform: Platform {
            #if os(iOS) || os(visionOS)
                .ios
            #elseif os(macOS)
                .macos
            #elseif os(Android)
                .android
            #elseif os(Linux)
                .linux
            #else
                .other
            #endif
        }

        private static var thisDevice: Device? {
            #if os(tvOS)
                .tv
            #elseif os(watchOS)
                .watch
            #elseif os(macOS) || os(Linux)
                .desktop
            #else
                nil
            #endif
        }
    }
#endif
