package import LinkEvents
package import LinkRouting
package import Networking

extension LinkResolver {
    /// The caller of a request and the form of the call.
    package struct Caller: Sendable {
        var requestID: RecordedID
        var address: NetworkAddress?
        /// The country of the address, if the context names none. It is recorded and decides nothing.
        var country: String?
        var userAgent: String?
        /// Set for clicks only: a request of an app names its HTTP library, which is not a bot.
        var botClass: BotClass?
        var referrerHost: String?
        var method: String
        var source: String
        var kind: Event.Kind
        var purpose: Event.Purpose
        var occurredAt: Timestamp?
        /// The event that led to this call.
        var parent: RecordedID?

        package init(
            requestID: RecordedID,
            address: NetworkAddress? = nil,
            country: String? = nil,
            userAgent: String? = nil,
            botClass: BotClass? = nil,
            referrerHost: String? = nil,
            method: String,
            source: String,
            kind: Event.Kind,
            purpose: Event.Purpose,
            occurredAt: Timestamp? = nil,
            parent: RecordedID? = nil
        ) {
            self.requestID = requestID
            self.address = address
            self.country = country
            self.userAgent = userAgent
            self.botClass = botClass
            self.referrerHost = referrerHost
            self.method = method
            self.source = source
            self.kind = kind
            self.purpose = purpose
            self.occurredAt = occurredAt
            self.parent = parent
        }
    }
}
