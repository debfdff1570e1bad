import Crypto
import Foundation
import LinkCatalog
import LinkRouting

extension ShortLink {
    /// Reads a row of `short_link`.
    init(_ row: SQLRow) throws {
        let text: String = try row["code"]
        guard let code = ShortCode(text) else {
            throw StorageError.corrupt(file: "links.db", detail: "'\(text)' is not a code")
        }
        let status: Status =
            switch try row["status"] as String {
            case "active": .active
            case "blocked": .blocked(reason: try row["block_reason"] ?? "")
            default: (try row["block_reason"] as String?).map { Status.archivedBlocked(reason: $0) } ?? .archived
            }
        self.init(
            code: code,
            content: try Content(row),
            status: status,
            createdAt: Timestamp(milliseconds: try row["created_at"]),
            updatedAt: Timestamp(milliseconds: try row["updated_at"]),
            createdBy: try Actor(row),
            version: try row["version"],
            install: try row["install"],
            isFromApp: try row["from_app"]
        )
    }

    /// Values by the names of their columns.
    typealias Columns = [String: (any SQLConvertible)?]

    /// The columns that a change of the link may change.
    var columns: Columns {
        var stored = content
        stored.expires = nil
        return [
            "content": stored.json.json(), "expires": content.expires?.milliseconds, "status": status.name,
            "block_reason": status.blockReason, "updated_at": updatedAt.milliseconds, "version": version,
            "install": install,
            "reuse": Self.reuseHash(content, install),
        ]
    }

    /// 64 bits of the hash of what two links must have in common for one to be returned instead of the other.
    static func reuseHash(_ content: Content, _ install: InstallHash?) -> Int64 {
        let shared = JSONNode.array([
            .string(content.target), content.json["utm"] ?? .null, .string(install?.hexadecimal ?? ""),
        ])
        return SHA256.hash(data: Data(shared.json().utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension ShortLink.Content {
    /// The end has a column of its own, which clicks of apps' links change.
    fileprivate init(_ row: SQLRow) throws {
        do {
            let field = DocumentField(try Document.readStored(try row["content"]), path: "")
            try self.init(try field.object(Self.keys))
        } catch {
            throw StorageError.corrupt(file: "links.db", detail: "the content of a short link: \(error)")
        }
        expires = (try row["expires"] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}

extension Actor {
    var columns: ShortLink.Columns {
        ["actor_kind": kind.rawValue, "actor_id": id, "actor_name": name]
    }
}

extension Actor {
    /// Reads the columns of who changed the row.
    init(_ row: SQLRow) throws {
        self.init(
            kind: Kind(rawValue: try row["actor_kind"]) ?? .system,
            id: try row["actor_id"],
            name: try row["actor_name"]
        )
    }
}
