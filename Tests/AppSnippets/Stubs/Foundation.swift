// Declarations of Apple's Foundation that the one of Linux lacks. They are compiled into the sample app's module.
import Foundation

extension URL {
    static var applicationSupportDirectory: URL { temporaryDirectory }
}
