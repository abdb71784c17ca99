"""The database keeps the audit trail: rows are chained as their transaction commits, and nothing changes them after.

Every row, however it was added, is chained by a deferred trigger, so at the very end of its transaction: the lock that
puts an organization's writers in line is the last one that a transaction takes, and it is held for the commit alone.
The functions that write the chain run as their owner. So a role that serves requests needs no more than SELECT on the
three tables and INSERT on the events. Functions that look something up do it on a search path of their own, or a
temporary table of the same name would be looked at instead.
"""

from django.db import migrations

SEARCH_PATH = "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);"

# The canonical form of a row is repeated in accesscontrol/audit/chain.py, which recomputes it; docs/audit.md explains it.
CHAIN = """
CREATE FUNCTION accesscontrol_audit_field(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value IS NULL THEN '-' ELSE octet_length(value) || ':' || value END
$$;

CREATE FUNCTION accesscontrol_audit_hash(event accesscontrol_auditevent, sequence bigint, previous_hash bytea)
RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(
        accesscontrol_audit_field('elaichi-audit-1')
        || accesscontrol_audit_field(sequence::text)
        || accesscontrol_audit_field(encode(previous_hash, 'hex'))
        || accesscontrol_audit_field(event.organization_id::text)
        || accesscontrol_audit_field(event.id::text)
        || accesscontrol_audit_field(to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
        || accesscontrol_audit_field(event.actor_kind)
        || accesscontrol_audit_field(event.actor_id::text)
        || accesscontrol_audit_field(event.operator_id::text)
        || accesscontrol_audit_field(event.surface)
        || accesscontrol_audit_field(event.client)
        || accesscontrol_audit_field(event.action)
        || accesscontrol_audit_field(event.target)
        || accesscontrol_audit_field(event.connection)
        || accesscontrol_audit_field(event.outcome)
        || accesscontrol_audit_field(event.duration_ms::text)
        || accesscontrol_audit_field(event.request_id)
        || accesscontrol_audit_field(event.detail::text),
        'UTF8'))
$$;

-- Gives the event its link. The head's row is the lock of the chain. A transaction that adds many events moves the head
-- once, at its end (a row updated thousands of times in one transaction is slow to find), so until then the last link
-- may be ahead of it. The head is ahead of the last link only where links were removed: the gap then stays for good.
CREATE FUNCTION accesscontrol_audit_chain() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
    head_sequence bigint;
    head_hash bytea;
    last_sequence bigint;
    last_hash bytea;
BEGIN
    SELECT h.sequence, h.hash INTO head_sequence, head_hash
        FROM accesscontrol_audithead h WHERE h.organization_id = NEW.organization_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO accesscontrol_audithead (organization_id, sequence, hash)
            VALUES (NEW.organization_id, 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;
        SELECT h.sequence, h.hash INTO STRICT head_sequence, head_hash
            FROM accesscontrol_audithead h WHERE h.organization_id = NEW.organization_id FOR NO KEY UPDATE;
    END IF;
    SELECT l.sequence, l.hash INTO last_sequence, last_hash
        FROM accesscontrol_auditlink l WHERE l.organization_id = NEW.organization_id
        ORDER BY l.sequence DESC LIMIT 1;
    IF last_sequence > head_sequence THEN
        head_sequence := last_sequence;
        head_hash := last_hash;
    END IF;
    INSERT INTO accesscontrol_auditlink (event_id, organization_id, sequence, previous_hash, hash)
        VALUES (NEW.id, NEW.organization_id, head_sequence + 1, head_hash,
                accesscontrol_audit_hash(NEW, head_sequence + 1, head_hash));
    RETURN NULL;
END
$$;

CREATE FUNCTION accesscontrol_audit_move_head() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
    head_sequence bigint;
BEGIN
    SELECT h.sequence INTO head_sequence
        FROM accesscontrol_audithead h WHERE h.organization_id = NEW.organization_id;
    IF head_sequence < NEW.sequence THEN
        UPDATE accesscontrol_audithead h SET sequence = l.sequence, hash = l.hash
            FROM (SELECT sequence, hash FROM accesscontrol_auditlink WHERE organization_id = NEW.organization_id
                  ORDER BY sequence DESC LIMIT 1) l
            WHERE h.organization_id = NEW.organization_id;
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER audit_chain AFTER INSERT ON accesscontrol_auditevent
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_chain();
CREATE CONSTRAINT TRIGGER audit_head AFTER INSERT ON accesscontrol_auditlink
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_move_head();
-- Room for the head's next version on its own page.
ALTER TABLE accesscontrol_audithead SET (fillfactor = 20);
"""

GUARD = """
CREATE FUNCTION accesscontrol_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail only grows: % of % is refused.', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Links and heads are written by the triggers above and by nobody else.
CREATE FUNCTION accesscontrol_audit_refuse_direct() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() > 1 THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'The audit trail chains itself: % of % is refused.', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

-- What is old may go where the transaction's own setting names an event that says up to which row: the deletion of
-- audit rows is in the audit trail before it happens.
CREATE FUNCTION accesscontrol_audit_refuse_unless_pruning() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
    through bigint;
    sequence bigint;
BEGIN
    SELECT (e.detail ->> 'through')::bigint INTO through FROM accesscontrol_auditevent e
        WHERE e.id = NULLIF(current_setting('elaichi.audit_prune', true), '')::uuid
            AND e.organization_id = OLD.organization_id AND e.action = 'audit.prune';
    IF TG_TABLE_NAME = 'accesscontrol_auditlink' THEN
        sequence := OLD.sequence;
    ELSE
        SELECT l.sequence INTO sequence FROM accesscontrol_auditlink l WHERE l.event_id = OLD.id;
    END IF;
    IF sequence <= through THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit trail only grows: % of % is refused.', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'prune_audit ends what is old, and records that it did.';
END
$$;

CREATE TRIGGER audit_refuse BEFORE UPDATE OR TRUNCATE ON accesscontrol_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION accesscontrol_audit_refuse();
CREATE TRIGGER audit_refuse BEFORE UPDATE OR TRUNCATE ON accesscontrol_auditlink
    FOR EACH STATEMENT EXECUTE FUNCTION accesscontrol_audit_refuse();
CREATE TRIGGER audit_refuse BEFORE DELETE OR TRUNCATE ON accesscontrol_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION accesscontrol_audit_refuse();
CREATE TRIGGER audit_refuse_direct BEFORE INSERT ON accesscontrol_auditlink
    FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_refuse_direct();
CREATE TRIGGER audit_refuse_direct BEFORE INSERT OR UPDATE ON accesscontrol_audithead
    FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_refuse_direct();
CREATE TRIGGER audit_refuse_unless_pruning BEFORE DELETE ON accesscontrol_auditevent
    FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_refuse_unless_pruning();
CREATE TRIGGER audit_refuse_unless_pruning BEFORE DELETE ON accesscontrol_auditlink
    FOR EACH ROW EXECUTE FUNCTION accesscontrol_audit_refuse_unless_pruning();
"""

UNDO = """
DROP TRIGGER audit_chain ON accesscontrol_auditevent;
DROP TRIGGER audit_head ON accesscontrol_auditlink;
DROP TRIGGER audit_refuse ON accesscontrol_auditevent;
DROP TRIGGER audit_refuse ON accesscontrol_auditlink;
DROP TRIGGER audit_refuse ON accesscontrol_audithead;
DROP TRIGGER audit_refuse_direct ON accesscontrol_auditlink;
DROP TRIGGER audit_refuse_direct ON accesscontrol_audithead;
DROP TRIGGER audit_refuse_unless_pruning ON accesscontrol_auditevent;
DROP TRIGGER audit_refuse_unless_pruning ON accesscontrol_auditlink;
DROP FUNCTION accesscontrol_audit_chain, accesscontrol_audit_move_head, accesscontrol_audit_hash,
    accesscontrol_audit_field, accesscontrol_audit_refuse, accesscontrol_audit_refuse_direct,
    accesscontrol_audit_refuse_unless_pruning;
"""


class Migration(migrations.Migration):
    dependencies = [("accesscontrol", "0001_initial")]
    operations = [migrations.RunSQL(sql=SEARCH_PATH + CHAIN + GUARD, reverse_sql=UNDO)]
