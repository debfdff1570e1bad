/// Every metric of the process with its labels, written `name{label,…}`, and its help text in one line.
///
/// The table of metrics in docs/operations.md has the same names and labels, and a test compares them.
package enum DeclaredMetrics {
    package struct Declaration: Sendable {
        package let labels: Set<String>
        package let help: String
    }

    /// By name.
    package static let all = Dictionary(
        uniqueKeysWithValues: texts.map { signature, help in
            let parts = signature.split { "{,}".contains($0) }.map(String.init)
            return (parts[0], Declaration(labels: Set(parts.dropFirst()), help: help))
        }
    )

    /// Whether a metric has exactly its declared labels. Metrics with other prefixes, such as those of a test, need no
    /// declaration.
    static func allows(_ name: String, _ labels: some Sequence<String>) -> Bool {
        guard name.hasPrefix("fingerpost_") else { return true }
        return all[name]?.labels == Set(labels)
    }

    private static let texts: KeyValuePairs = [
        "fingerpost_answers_unrecorded_total{reason}":
            "Links that were answered although the log could not record them, by reason.",
        "fingerpost_app_events_total{engine,agreement}":
            "Events that apps reported, by engine version (compared with the server's) and whether the server agrees.",
        "fingerpost_app_tables_bytes": "Memory of the signed tables of apps, compressed.",
        "fingerpost_app_tables_signed_total{result}": "Tables that were signed for apps, by result.",
        "fingerpost_association_requests_total{tenant,file,result}":
            "Requests for association files of known hosts, by tenant and result.",
        "fingerpost_auth_failures_total{reason}": "Requests with a missing, invalid or insufficient key.",
        "fingerpost_backup_last_success_timestamp_seconds": "Start time of the last successful backup.",
        "fingerpost_build_info{version,sqlite}": "Always 1; labels hold the versions of the binary and SQLite.",
        "fingerpost_catalog_followed_timestamp_seconds": "When the catalog in PostgreSQL last answered this node.",
        "fingerpost_catalog_reachable": "0 while this node answers from its copy of the catalog in PostgreSQL.",
        "fingerpost_config_last_reload_successful": "1 if the last configuration reload succeeded, 0 if it failed.",
        "fingerpost_config_reloads_total{result}": "Configuration reloads, by result.",
        "fingerpost_connections{port}": "Open connections.",
        "fingerpost_day_bytes_limit": "Limit on fingerpost_day_bytes; 0 for none.",
        "fingerpost_day_bytes{tenant}": "Bytes of events recorded today (UTC) from requests without a key, by tenant.",
        "fingerpost_disk_free_bytes": "Free space on the data directory's disk that the service can use.",
        "fingerpost_disk_size_bytes": "Size of the data directory's disk.",
        "fingerpost_event_batch_size": "Events per commit.",
        "fingerpost_event_commit_duration_seconds": "Time from taking a batch to its fsync.",
        "fingerpost_event_queue_depth": "Events waiting after a commit.",
        "fingerpost_events_rejected_total{reason}": "Events that were not recorded, by reason.",
        "fingerpost_event_tails": "Clients that tail the log.",
        "fingerpost_events_committed_total": "Events written to disk.",
        "fingerpost_events_received_total": "Events submitted: committed, rejected or waiting.",
        "fingerpost_events_waiting": "Events that are neither committed nor rejected yet.",
        "fingerpost_export_due_timestamp_seconds{tenant}":
            "End of the earliest window that is not exported yet, by tenant; in the past while an export is late.",
        "fingerpost_export_failures_total{tenant}": "Failed scheduled exports, by tenant.",
        "fingerpost_export_last_success_timestamp_seconds{tenant}": "Time of the last exported window, by tenant.",
        "fingerpost_export_rows_total": "Exported rows.",
        "fingerpost_http2_streams{port}": "Open HTTP/2 streams, by port.",
        "fingerpost_http_inflight_requests{port}": "Requests in flight.",
        "fingerpost_http_refusals_total{port,code}": "Requests rejected before routing: over a limit or malformed.",
        "fingerpost_http_request_duration_seconds{port,route,method}":
            "Time from request head to response head, by endpoint pattern.",
        "fingerpost_http_requests_total{port,route,method,code}": "Responses, by endpoint pattern and status.",
        "fingerpost_http_server_errors_total{tenant,port}": "Responses with a status of 500 or above, by tenant.",
        "fingerpost_log_bytes": "Size of the day files.",
        "fingerpost_log_damaged_days": "Past days whose files cannot be read.",
        "fingerpost_log_is_foreign": "1 while another process ships this node's log, which a copied disk causes.",
        "fingerpost_log_lost_rows_total": "Events that retention dropped before they were in PostgreSQL.",
        "fingerpost_log_shipped_until_timestamp_seconds": "Events recorded until then are in PostgreSQL.",
        "fingerpost_log_unshipped_rows": "Recorded events that are not in PostgreSQL yet.",
        "fingerpost_metrics_dropped_series_total": "Series dropped because their metric has too many.",
        "fingerpost_publish_total{result}": "Publications, rollbacks and promotions, by result.",
        "fingerpost_rate_limited_total{scope}": "Rate-limited requests, by scope of the limit.",
        "fingerpost_resolutions_total{tenant,outcome}": "Recorded resolutions, by tenant and outcome.",
        "fingerpost_retention_blocked_days": "Days kept past their retention because an export is missing.",
        "fingerpost_retention_clock_jumped":
            "1 while retention is paused because the clock jumped ahead by more than a month.",
        "fingerpost_retention_dropped_rows_total": "Rows dropped by retention.",
        "fingerpost_route_table_revision{tenant,environment}": "The live revision, for the first 100 tables.",
        "fingerpost_s3_retries_total": "Requests to S3 that were repeated.",
        "fingerpost_short_links_total{tenant,result}": "Lookups of short links, by tenant and result.",
        "fingerpost_sink_batches_total{sink,result}": "Windows written to the sink, by result.",
        "fingerpost_sqlite_wal_bytes{db}": "Size of the write-ahead logs.",
        "fingerpost_table_unreadable{tenant,environment}": "Tables that cannot be read (the first 20).",
        "fingerpost_tables_unreadable": "Number of stored tables or settings that cannot be read.",
        "fingerpost_tls_certificate_expiry_timestamp_seconds":
            "Expiry of the certificate in use or of its chain, whichever is first.",
        "fingerpost_tls_reloads_total{result}": "Reloads of changed certificates, by result.",
        "fingerpost_unsent_bytes{port}": "Response bytes that clients have not read yet, by port.",
        "fingerpost_unsent_bytes_largest": "Unread response bytes of the connection with the most.",
        "fingerpost_unsent_bytes_limit": "Limit on unread response bytes; above it the largest connections are closed.",
        "fingerpost_webhook_deliveries_total{result}": "Webhook delivery attempts, by result.",
        "fingerpost_work_cancelled_total": "Checks, publications and similar work cancelled by disconnect or shutdown.",
        "fingerpost_work_done_total": "Checks, publications and similar work completed.",
        "fingerpost_work_refused_total": "Checks, publications and similar work rejected because the queue was full.",
        "fingerpost_work_running": "Checks, publications and similar work in progress.",
        "fingerpost_work_waiting": "Checks, publications and similar work waiting for a thread.",
        "process_cpu_seconds_total": "CPU time.",
        "process_max_fds": "Maximum number of open file descriptors.",
        "process_open_fds": "Open file descriptors.",
        "process_resident_memory_bytes": "Resident memory.",
        "process_start_time_seconds": "Start time of the process in seconds since 1970.",
    ]
}
