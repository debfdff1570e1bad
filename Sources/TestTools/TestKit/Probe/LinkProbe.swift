import LinkRouting

/// The source file for an app that reports to UI tests which screen is shown.
package enum LinkProbe {
    package enum Variant: Sendable, Hashable {
        case swift
        /// - Parameter package: The package of the app's code.
        case kotlin(package: String)
        /// The same functions without effect, for release builds.
        case kotlinNoOp(package: String)
    }

    package static func text(_ variant: Variant) -> String {
        switch variant {
        case .swift: String(decoding: PackageResources.LinkProbe_swift_txt, as: UTF8.self)
        case .kotlin(let package):
            """
            // LinkProbe: lets UI tests read which screen a link led to, and connects the app to the stub server of a test.
            // Written by 'fingerpost testkit probe kotlin'. It belongs into debug builds only.

            """ + String(decoding: PackageResources.LinkProbe_kt_txt, as: UTF8.self).inPackage(package)
        case .kotlinNoOp(let package):
            """
            // Written by 'fingerpost testkit probe kotlin --no-op', for the release builds of an app with LinkProbe.
            //

            """ + String(decoding: PackageResources.LinkProbeNoOp_kt_txt, as: UTF8.self).inPackage(package)
        }
    }

    /// Whether Java and Kotlin accept the name of a package.
    package static func isPackage(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 200
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, SourceLanguage.kotlin.identifier(String(part)) == part else {
                    return false
                }
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
                return !isDigit
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
                    }
            }
    }
}

extension String {
    /// The Kotlin file with its package statement after the comment at the beginning.
    fileprivate func inPackage(_ package: String) -> String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false)
        let comment = lines.prefix { $0.hasPrefix("//") }
        return (comment + ["", "package \(package.packageInKotlin)"] + lines.dropFirst(comment.count)).joined(
            separator: "\n"
        )
    }
}
