-- The catalog in PostgreSQL: the tables of m0001_catalog.sql, with the same columns and constraints. Texts sort by bytes,
-- as in SQLite. Times are milliseconds since 1970. See docs/fleet.md.

-- The schema. `oldest` is the oldest program, as the number of the migrations that it knows, that can use it.
CREATE TABLE fingerpost_schema (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    version INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    migrations TEXT NOT NULL -- the SHA-256 of those that the database has had, separated by spaces
);

-- The store from which `fingerpost store copy` has not copied everything yet. No node starts then.
CREATE TABLE copy_of (
    source TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE tenant (
    id TEXT COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z0-9]' AND length(id) <= 64),
    created_at BIGINT NOT NULL,
    counter BIGINT NOT NULL DEFAULT 0,
    archived_at BIGINT,
    removed_at BIGINT CHECK (removed_at IS NULL OR archived_at IS NOT NULL),
    audit_day BIGINT,
    audit_bytes BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE settings (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    revision BIGINT NOT NULL CHECK (revision >= 1),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    bytes BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, revision)
);

CREATE TABLE domain (
    host TEXT COLLATE "C" NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
    covers_subdomains SMALLINT NOT NULL CHECK (covers_subdomains IN (0, 1)),
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    PRIMARY KEY (host, port, covers_subdomains)
);
CREATE INDEX domain_by_tenant ON domain (tenant);

CREATE TABLE scheme (
    name TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL
);
CREATE INDEX scheme_by_tenant ON scheme (tenant);

CREATE TABLE install_key (
    tenant TEXT COLLATE "C" PRIMARY KEY REFERENCES tenant (id),
    key BYTEA NOT NULL CHECK (length(key) = 32),
    created_at BIGINT NOT NULL
);

-- Tables.

CREATE TABLE draft (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    base_revision BIGINT,
    version BIGINT NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    updated_at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    route_count BIGINT NOT NULL,
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
    content_bytes BIGINT NOT NULL,
    only_author TEXT,
    PRIMARY KEY (tenant, environment, name)
);

CREATE TABLE suite (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    content TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE revision (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    number BIGINT NOT NULL CHECK (number >= 1),
    environment TEXT COLLATE "C" NOT NULL,
    parent BIGINT,
    content_hash TEXT COLLATE "C" NOT NULL CHECK (length(content_hash) = 64),
    route_count BIGINT NOT NULL,
    message TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    origin TEXT NOT NULL DEFAULT 'draft',
    origin_number BIGINT,
    approvals TEXT NOT NULL DEFAULT '[]' CHECK (approvals::json IS NOT NULL),
    override_reason TEXT,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX revision_by_content ON revision (tenant, content_hash);

CREATE TABLE revision_content (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    hash TEXT COLLATE "C" NOT NULL CHECK (length(hash) = 64),
    bytes BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE FUNCTION remove_unused_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM revision_content WHERE tenant = old.tenant AND hash = old.content_hash
        AND NOT EXISTS (SELECT 1 FROM revision WHERE tenant = old.tenant AND content_hash = old.content_hash);
    RETURN NULL;
END $$;
CREATE TRIGGER revision_deleted AFTER DELETE ON revision FOR EACH ROW EXECUTE FUNCTION remove_unused_content();

CREATE TABLE live (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment),
    FOREIGN KEY (tenant, number) REFERENCES revision (tenant, number)
);

-- Keys.

CREATE TABLE api_key (
    id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 12),
    secret_hash BYTEA NOT NULL CHECK (length(secret_hash) = 32),
    tenant TEXT COLLATE "C" REFERENCES tenant (id),
    scopes TEXT NOT NULL CHECK (scopes::json IS NOT NULL),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    environments TEXT CHECK (environments IS NULL OR environments::json IS NOT NULL),
    owners TEXT CHECK (owners IS NULL OR owners::json IS NOT NULL),
    path_prefixes TEXT CHECK (path_prefixes IS NULL OR path_prefixes::json IS NOT NULL),
    revoked_at BIGINT,
    last_used_at BIGINT,
    created_by TEXT COLLATE "C",
    replaces TEXT COLLATE "C",
    creator_limits TEXT NOT NULL DEFAULT '[]' CHECK (creator_limits::json IS NOT NULL)
);
CREATE INDEX api_key_by_creator ON api_key (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX api_key_by_tenant ON api_key (tenant, created_at);
CREATE INDEX api_key_by_end
    ON api_key (coalesce(CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END, revoked_at));

CREATE TABLE ended_key (
    id TEXT COLLATE "C" PRIMARY KEY,
    created_by TEXT COLLATE "C",
    replaces TEXT COLLATE "C"
);
CREATE INDEX ended_key_by_creator ON ended_key (created_by) WHERE created_by IS NOT NULL;

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', tg_argv[0];
END $$;

CREATE FUNCTION refuse_ended_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM ended_key WHERE id = new.id) THEN
        RAISE EXCEPTION 'the id of an ended key is not given again';
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER ended_id_is_not_given_again BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION refuse_ended_id();

CREATE TABLE sealing_key (
    id BIGINT PRIMARY KEY,
    ring TEXT NOT NULL CHECK (ring IN ('continuation', 'install')),
    key BYTEA NOT NULL CHECK (length(key) = 32),
    created_at BIGINT NOT NULL
);

-- Changes.

CREATE TABLE audit (
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('key', 'person', 'system')),
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    tenant TEXT COLLATE "C",
    environment TEXT,
    subject TEXT NOT NULL,
    before TEXT CHECK (before IS NULL OR before::json IS NOT NULL),
    after TEXT CHECK (after IS NULL OR after::json IS NOT NULL),
    request_id TEXT NOT NULL,
    hash BYTEA NOT NULL
);
CREATE INDEX audit_by_tenant ON audit (tenant, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('audit rows are not changed');
CREATE TRIGGER audit_is_not_removed BEFORE DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('audit rows are not removed');

-- Every transaction that writes locks this row first, so that those of all nodes come one after another.
CREATE TABLE audit_head (
    id BIGINT NOT NULL,
    hash BYTEA
);
INSERT INTO audit_head (id, hash) VALUES (0, NULL);
CREATE TRIGGER audit_head_is_not_removed BEFORE DELETE OR TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('the head of the audit log is not removed');

-- The nodes and when they last reported. A node that is gone for good is removed by `fingerpost fleet forget`.
CREATE TABLE node (
    name TEXT COLLATE "C" PRIMARY KEY,
    seen_at BIGINT NOT NULL,
    version TEXT NOT NULL,
    catalog BIGINT NOT NULL, -- the number of the last change of the catalog that it has
    links BIGINT NOT NULL, -- the number of the last change of short links that it has
    last_seq BIGINT NOT NULL -- of its log
);

-- Histories that an operator has accepted although they lack changes which nodes have. Each node follows the last one.
CREATE TABLE accepted_history (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL
);

-- The key that pseudonymises addresses of a day, encrypted with a key that only nodes have.
CREATE TABLE address_key (
    day TEXT COLLATE "C" PRIMARY KEY,
    sealed BYTEA NOT NULL
);

-- A row without a status is a request in progress. Its owner is a node, whose lease ends after ten minutes, which no request takes.
CREATE TABLE repeated_request (
    actor TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C",
    request_hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    status INTEGER,
    headers TEXT CHECK (headers IS NULL OR headers::json IS NOT NULL),
    body BYTEA,
    owner TEXT,
    lease BIGINT,
    PRIMARY KEY (actor, key)
);
CREATE INDEX repeated_request_by_time ON repeated_request (created_at);
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);

CREATE TABLE session (
    hash BYTEA PRIMARY KEY,
    key_id TEXT COLLATE "C" NOT NULL,
    sealed_key BYTEA NOT NULL,
    is_link BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE INDEX session_by_key ON session (key_id, created_at);

-- Short links. Clicks and lists read each node's copy, which has the same columns, so the indexes are those of changes.

CREATE TABLE link_tenant (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    links BIGINT NOT NULL DEFAULT 0 CHECK (links >= 0),
    app_links BIGINT NOT NULL DEFAULT 0 CHECK (app_links >= 0)
);

CREATE TABLE short_link (
    id BIGINT PRIMARY KEY,
    tenant BIGINT NOT NULL REFERENCES link_tenant (id),
    code TEXT COLLATE "C" NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    expires BIGINT,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'archived', 'blocked')),
    block_reason TEXT CHECK (status = 'archived' OR (block_reason IS NULL) = (status != 'blocked')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version >= 1),
    install BYTEA,
    from_app SMALLINT NOT NULL CHECK (from_app IN (0, 1)),
    reuse BIGINT NOT NULL,
    change BIGINT NOT NULL UNIQUE, -- the number of the row's last change
    UNIQUE (tenant, code)
);
CREATE INDEX short_link_by_reuse ON short_link (tenant, reuse, from_app, status, id);
CREATE INDEX short_link_by_install ON short_link (tenant, install) WHERE install IS NOT NULL;
CREATE INDEX short_link_by_end ON short_link (expires) WHERE from_app = 1;

CREATE TABLE short_link_change (
    link BIGINT NOT NULL,
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    PRIMARY KEY (link, version)
);

-- Numbers the changed rows. A number is taken under the lock of audit_head, which is held until the commit: otherwise a
-- later number could become visible before an earlier one, and a reader that continues after the last one would miss rows.
CREATE SEQUENCE link_number;

-- The last transactions that changed links, each with the number of its last row.
CREATE TABLE link_commit (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX link_commit_by_time ON link_commit (at);

CREATE FUNCTION number_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM audit_head FOR UPDATE;
    new.change := nextval('link_number');
    new.id := coalesce(new.id, new.change);
    RETURN new;
END $$;
CREATE TRIGGER short_link_numbered BEFORE INSERT OR UPDATE ON short_link FOR EACH ROW EXECUTE FUNCTION number_link();

-- Once for each statement: many versions of one row within a transaction are slow.
CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE link_tenant SET links = links + count, app_links = app_links + apps
        FROM (SELECT tenant, count(*) AS count, sum(from_app) AS apps FROM added GROUP BY tenant) AS sums
        WHERE id = sums.tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER short_link_added AFTER INSERT ON short_link REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_added();

CREATE FUNCTION count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE link_tenant SET links = links - count, app_links = app_links - apps
        FROM (SELECT tenant, count(*) AS count, sum(from_app) AS apps FROM removed GROUP BY tenant) AS sums
        WHERE id = sums.tenant;
    DELETE FROM short_link_change WHERE link IN (SELECT id FROM removed);
    RETURN NULL;
END $$;
CREATE TRIGGER short_link_removed AFTER DELETE ON short_link REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_removed();

-- The log. Each node's log stays the record of what that node answered; these are copies of its rows. A row's key is the
-- number of its log with its `seq`. The rows of a transaction continue exactly what is there, so that sending them again
-- does no harm; and rows, position and counts move together, also when a failover takes the last ones back.

CREATE TABLE shipped_log (
    number INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE, -- random, from the node's ledger.db
    node TEXT COLLATE "C" NOT NULL, -- the node that shipped last
    nonce TEXT NOT NULL, -- of the process that ships; a copy of its disk has another one
    begun_seq BIGINT NOT NULL, -- what it has in common with an earlier log, which is not shipped again; else 0
    begun_event TEXT NOT NULL,
    last_seq BIGINT NOT NULL,
    last_event TEXT NOT NULL, -- the id of the event with last_seq; empty before the first
    last_at BIGINT NOT NULL -- when that event was recorded
);

-- What each log has had of each UTC day of commit: of its seqs from first_seq to last_seq, `rows` were shipped, and `absent`
-- were gone before. `event` has the rows without those that were erased or dropped since.
CREATE TABLE shipped_day (
    log INTEGER NOT NULL REFERENCES shipped_log (number),
    day DATE NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    rows BIGINT NOT NULL,
    duplicates BIGINT NOT NULL, -- of the rows
    absent BIGINT NOT NULL,
    erased BIGINT NOT NULL DEFAULT 0,
    dropped BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (log, day)
);

-- What each log has exported: the end and the last seq of the last window of each tenant. The exports of a node that is gone
-- for ever continue there.
CREATE TABLE shipped_export (
    log INTEGER NOT NULL REFERENCES shipped_log (number),
    tenant TEXT COLLATE "C" NOT NULL,
    last_end BIGINT NOT NULL,
    edge BIGINT NOT NULL,
    PRIMARY KEY (log, tenant)
);

-- Rows that a node dropped before they were shipped.
CREATE TABLE shipping_gap (
    log INTEGER NOT NULL REFERENCES shipped_log (number),
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    PRIMARY KEY (log, first_seq)
);

-- The columns from seq on are those of m0001_events.sql. A text with NUL has U+FFFD in its place.
CREATE TABLE event (
    day DATE NOT NULL, -- of commit, in UTC
    log INTEGER NOT NULL,
    duplicate BOOLEAN NOT NULL, -- another node has stored the same report of an app; not counted
    seq BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    route TEXT COLLATE "C",
    revision BIGINT,
    settings_revision BIGINT,
    app TEXT COLLATE "C",
    experiment TEXT COLLATE "C",
    variant TEXT COLLATE "C",
    scheme TEXT COLLATE "C",
    host TEXT COLLATE "C",
    path TEXT COLLATE "C",
    link_length BIGINT NOT NULL,
    query TEXT COLLATE "C",
    parameters TEXT COLLATE "C",
    platform TEXT COLLATE "C",
    device TEXT COLLATE "C",
    os_version TEXT COLLATE "C",
    app_version TEXT COLLATE "C",
    app_build BIGINT,
    traits TEXT COLLATE "C",
    locale TEXT COLLATE "C",
    country TEXT COLLATE "C",
    referrer_host TEXT COLLATE "C",
    address TEXT COLLATE "C",
    user_agent TEXT COLLATE "C",
    bot_class TEXT COLLATE "C",
    install TEXT COLLATE "C",
    source TEXT COLLATE "C" NOT NULL,
    node TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    latency_micros BIGINT,
    id TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    occurred_at BIGINT,
    parent TEXT COLLATE "C",
    client_event_id TEXT COLLATE "C",
    result TEXT COLLATE "C",
    engine_version TEXT COLLATE "C",
    agreement TEXT COLLATE "C",
    reading TEXT COLLATE "C",
    short_link TEXT COLLATE "C",
    PRIMARY KEY (day, log, seq)
) PARTITION BY LIST (day);
CREATE INDEX event_by_tenant ON event (tenant, log, seq);
-- Finds an event by the time in its id.
CREATE INDEX event_by_time ON event USING brin (recorded_at) WITH (pages_per_range = 16);

-- Only its owner can create a partition, so the nodes, who may not, call these functions. They name everything with its schema,
-- since whoever calls them may have tables of the same names.
CREATE FUNCTION event_partition(of_day DATE) RETURNS TEXT LANGUAGE plpgsql AS $$
BEGIN
    IF NOT has_table_privilege(session_user, 'public.event', 'DELETE') THEN
        RAISE EXCEPTION 'only nodes add and drop days';
    END IF;
    RETURN 'event_' || to_char(of_day, 'YYYYMMDD');
END $$;
CREATE FUNCTION add_event_day(new_day DATE) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    name TEXT := event_partition(new_day);
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('event'));
    IF to_regclass('public.' || name) IS NULL THEN
        EXECUTE format('CREATE TABLE public.%I (LIKE public.event INCLUDING ALL)', name);
        EXECUTE format('ALTER TABLE public.event ATTACH PARTITION public.%I FOR VALUES IN (%L)', name, new_day);
    END IF;
END $$;
CREATE FUNCTION drop_event_day(old_day DATE) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS public.%I', event_partition(old_day));
END $$;

-- The hashes of reported events, kept for 30 days after their day, so that a report that two nodes accepted is counted once.
CREATE TABLE reported_event (
    hash BYTEA PRIMARY KEY CHECK (length(hash) = 16),
    day DATE NOT NULL
);
CREATE INDEX reported_event_by_day ON reported_event (day);

-- Counts of the rows without duplicates. They stay when the rows are erased or dropped. Only its own node writes a log's
-- counts, and readers add them up. '' and 0 stand for what an event does not have.

CREATE TABLE count_quarter (
    tenant TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    quarter INTEGER NOT NULL, -- quarter-hours since 1970
    log INTEGER NOT NULL,
    route TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment, purpose, quarter, log, route, revision, outcome, action)
);

CREATE TABLE count_day (
    tenant TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL, -- days since 1970
    log INTEGER NOT NULL,
    route TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment, purpose, day, log, route, revision, outcome, action)
);

-- At most 1,000 values of a dimension in each day of a log; the value with other = 1 stands for all further ones.
CREATE TABLE value_hour (
    tenant TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    dimension TEXT COLLATE "C" NOT NULL,
    hour INTEGER NOT NULL, -- hours since 1970
    log INTEGER NOT NULL,
    other SMALLINT NOT NULL CHECK (other IN (0, 1)),
    value TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment, purpose, dimension, hour, log, other, value)
);

CREATE TABLE value_day (
    tenant TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    dimension TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    log INTEGER NOT NULL,
    other SMALLINT NOT NULL CHECK (other IN (0, 1)),
    value TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment, purpose, dimension, day, log, other, value)
);

CREATE TABLE link_day (
    tenant TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    environment TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    log INTEGER NOT NULL,
    count BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code, day, environment, purpose, log)
);
CREATE INDEX link_by_day ON link_day (tenant, day);

-- Orders to erase the events of an install that were recorded until then. Each node carries them out in its log and exports.
-- The install is forgotten when all have; the hash stays, so that a disk that is shipped later brings nothing back.
CREATE TABLE erasure (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    install BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    requested_at BIGINT NOT NULL,
    ordered_at BIGINT NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000, -- the same by PostgreSQL's clock
    request_id TEXT NOT NULL,
    rows BIGINT NOT NULL DEFAULT 0, -- deleted from `event`
    deleted_at BIGINT, -- NULL while `event` may have rows
    finished_at BIGINT CHECK (finished_at IS NULL OR deleted_at IS NOT NULL)
);
CREATE INDEX erasure_by_tenant ON erasure (tenant, requested_at);
CREATE INDEX erasure_by_hash ON erasure (hash, requested_at);

CREATE TABLE erasure_confirmed (
    erasure BIGINT NOT NULL REFERENCES erasure (id),
    node TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (erasure, node)
);

-- For people's own SQL, see docs/analytics.md. Columns may be added; others do not change.

CREATE SCHEMA IF NOT EXISTS fingerpost;

CREATE VIEW fingerpost.events AS
SELECT day, node, log, seq, id, to_timestamp(recorded_at / 1000.0) AS recorded_at,
    to_timestamp(occurred_at / 1000.0) AS occurred_at, purpose, kind, parent, tenant, environment, app, route, revision,
    settings_revision, outcome, action, reason, experiment, variant, scheme, host, path, link_length, query::json AS query,
    parameters::json AS parameters, platform, device, os_version, app_version, app_build, traits::json AS traits, locale, country,
    referrer_host, address, user_agent, bot_class, install, source, request_id, method, latency_micros, result, engine_version,
    agreement, reading, short_link
FROM event WHERE NOT duplicate;

CREATE VIEW fingerpost.daily_counts AS
SELECT DATE '1970-01-01' + day AS day, node, tenant, environment, purpose, nullif(route, '') AS route,
    nullif(revision, 0) AS revision, outcome, nullif(action, '') AS action, count
FROM count_day JOIN shipped_log ON number = log;

-- value is NULL for all values without a count of their own.
CREATE VIEW fingerpost.daily_values AS
SELECT DATE '1970-01-01' + day AS day, node, tenant, environment, purpose, dimension,
    CASE other WHEN 0 THEN value END AS value, count
FROM value_day JOIN shipped_log ON number = log;

CREATE VIEW fingerpost.daily_links AS
SELECT DATE '1970-01-01' + day AS day, node, tenant, environment, purpose, code, count,
    to_timestamp(link_day.last_at / 1000.0) AS last_at
FROM link_day JOIN shipped_log ON number = log;
