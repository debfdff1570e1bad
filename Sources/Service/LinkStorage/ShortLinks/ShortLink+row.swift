import Crypto
import Foundation
import GRDB
import LinkCatalog
import LinkRouting

extension ShortLink {
    /// Reads a row of `short_link`.
    init(_ row: Row) throws {
        let text: String = row["code"]
        guard let code = ShortCode(text) else {
            throw StorageError.corrupt(file: "links.db", detail: "'\(text)' is not a code")
        }
        let status: Status =
            switch row["status"] as String {
            case "active": .active
            case "blocked": .blocked(reason: row["block_reason"])
            default: (row["block_reason"] as String?).map { Status.archivedBlocked(reason: $0) } ?? .archived
            }
        self.init(
            code: code,
            content: try Content(row),
            status: status,
            createdAt: Timestamp(milliseconds: row["created_at"]),
            updatedAt: Timestamp(milliseconds: row["updated_at"]),
            createdBy: Actor(row),
            version: row["version"],
            install: row["install"],
            isFromApp: row["from_app"]
        )
    }

    /// Values by the names of their columns.
    typealias Columns = [String: (any DatabaseValueConvertible)?]

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
    fileprivate init(_ row: Row) throws {
        do {
            let field = DocumentField(try Document.readStored(row["content"]), path: "")
            try self.init(try field.object(Self.keys))
        } catch {
            throw StorageError.corrupt(file: "links.db", detail: "the content of a short link: \(error)")
        }
        expires = (row["expires"] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}

extension Actor {
    var columns: ShortLink.Columns {
        ["actor_kind": kind.rawValue, "actor_id": id, "actor_name": name]
    }
}

extension Actor {
    /// Reads the columns of who changed the row.
    init(_ row: Row) {
        self.init(kind: Kind(rawValue: row["actor_kind"]) ?? .system, id: row["actor_id"], name: row["actor_name"])
    }
}
