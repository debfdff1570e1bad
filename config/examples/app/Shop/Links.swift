import Foundation
import LinkClient
import LinkRouting

extension LinkClient {
    /// The links of this app.
    static let shop: LinkClient = {
        var configuration = Configuration(
            tenant: "shop",
            app: "ios",
            keys: [
                "sAxTqQEgws_y4oApcxQv69l2bZVdUdT_TedjvPpSYOI",
                "26QmnrEVMsC9nzUJ7AcY9f2gF5wLRViOtEuCxlSLjNA",
            ],
            server: "https://go.yourappdomain.com"
        )
        configuration.bundledTable = .file(Bundle.main.path(forResource: "shop", ofType: "table") ?? "shop.table")
        configuration.directory = URL.applicationSupportDirectory.appending(path: "Links").path(percentEncoded: false)
        configuration.context = .thisApp
        do {
            return try LinkClient(configuration)
        } catch {
            // A mistake in the lines above. The message says what to write instead.
            preconditionFailure("\(error)")
        }
    }()
}
