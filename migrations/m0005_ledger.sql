-- Counts a tenant's erasures of a day.
CREATE INDEX erasure_by_tenant ON erasure (tenant, requested_at);
