import ArgumentParser
import Foundation
import HTTPTransport
import LinkServer
import Logging

/// The limit of open files and connections of the process (`ulimit -n`).
enum DescriptorLimit {
    /// The highest limit requested. A higher one is of no use, and some systems have no limit at all.
    private static let most: rlim_t = 1_048_576

    /// Raises the limit as far as permitted and returns the new limit.
    ///
    /// - Throws: An exit code if the limit is too low.
    static func raise() throws(CommandFailure) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return ServerLimits().descriptors }
        let requested = min(limits.rlim_max, most)
        if limits.rlim_cur < requested {
            var raised = rlimit(rlim_cur: requested, rlim_max: limits.rlim_max)
            if setrlimit(resource, &raised) == 0 { limits.rlim_cur = requested }
        }
        let limit = Int(min(limits.rlim_cur, most))
        guard limit >= DescriptorShares.least else {
            throw fail(
                "the process may open only \(limit) files and connections; it needs at least \(DescriptorShares.least), and more "
                    + "than limits.connections. Raise the limit: ulimit -n, LimitNOFILE= (systemd) or --ulimit nofile= (container).",
                .wrongConfiguration
            )
        }
        return limit
    }

    /// Logs the resulting connection limits of the ports.
    static func tell(_ limits: ServerLimits, _ logger: Logger) {
        let shares = DescriptorShares(limit: limits.descriptors, requested: limits.connections)
        let metadata: Logger.Metadata = [
            "descriptors": "\(limits.descriptors)", "public": "\(shares.public)", "admin": "\(shares.admin)",
            "ops": "\(shares.ops)",
        ]
        if shares.public < limits.connections {
            logger.warning(
                "the open-file limit allows fewer connections than limits.connections (\(limits.connections)); raise ulimit -n",
                metadata: metadata
            )
        } else {
            logger.info("maximum connections of each port", metadata: metadata)
        }
    }
}
