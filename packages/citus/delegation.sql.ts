/**
 * The functions that run a statement of a workspace on the node of the workspace. On that node, each table
 * name means a view of the shard that holds the workspace's rows. Citus does not plan the statement, so the
 * statement can run even if Citus would refuse it.
 */
export const createDelegation = [
  'CREATE SCHEMA IF NOT EXISTS delegation',
  // The highest id of each table when the table was distributed.
  'CREATE TABLE IF NOT EXISTS delegation.first_ids (name text NOT NULL, id bigint NOT NULL)',
  // A table that is copied to every node must be changed on every node, so Citus itself must run the change.
  `CREATE OR REPLACE FUNCTION delegation.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is copied to every node: only a statement without a workspace may change it', TG_TABLE_NAME;
   END $$`,
  // Creates a schema for a group of shards. The schema has one view for each shard, and one view for each
  // table that is copied to every node. Each view has the name of its table. When the shards move to another
  // node, Citus drops the view `counted`. If `counted` is missing, creates the schema and its sequences anew.
  `CREATE OR REPLACE FUNCTION delegation.name_shards(anchor bigint) RETURNS void LANGUAGE plpgsql
   SET citus.enable_ddl_propagation = off SET search_path = public AS $$
   DECLARE
     schema text := 'shards_' || anchor;
     shard record;
     attribute record;
   BEGIN
     PERFORM pg_advisory_xact_lock(7741925, anchor::integer);
     -- Reads the table to update the catalog cache: others may have changed the views during the wait.
     EXECUTE format('SELECT FROM public.%I LIMIT 0', 'tasks_' || anchor);
     IF to_regclass(schema || '.tasks') IS NOT NULL THEN RETURN; END IF;
     IF to_regclass(schema || '.counted') IS NULL THEN
       EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', schema);
       EXECUTE format('CREATE SCHEMA %I', schema);
       EXECUTE format('CREATE VIEW %I.counted AS SELECT 1 AS one FROM public.%I', schema, 'tasks_' || anchor);
     END IF;
     FOR shard IN
       SELECT s.logicalrelid::oid AS of, s.logicalrelid::text AS name, s.logicalrelid || '_' || s.shardid AS own_name,
         p.partmethod = 'n' AS is_copied
       FROM pg_dist_shard s JOIN pg_dist_partition p USING (logicalrelid) JOIN pg_class c ON c.oid = s.logicalrelid
       WHERE c.relnamespace = 'public'::regnamespace AND (p.partmethod = 'n' AND p.repmodel = 't' OR (
         p.colocationid = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'tasks'::regclass)
         AND s.shardminvalue = (SELECT shardminvalue FROM pg_dist_shard WHERE shardid = anchor)
       ))
     LOOP
       EXECUTE format('CREATE VIEW %I.%I AS SELECT * FROM public.%I', schema, shard.name, shard.own_name);
       IF shard.is_copied THEN
         EXECUTE format('CREATE TRIGGER refuse INSTEAD OF INSERT OR UPDATE OR DELETE ON %I.%I
           FOR EACH ROW EXECUTE FUNCTION delegation.refuse()', schema, shard.name);
       ELSE
         FOR attribute IN
           SELECT attname, atttypid FROM pg_attribute WHERE attrelid = shard.of AND attidentity <> ''
         LOOP
           PERFORM delegation.count_on(
             anchor, schema, shard.name, shard.own_name, attribute.attname, attribute.atttypid);
         END LOOP;
       END IF;
     END LOOP;
   END $$`,
  // Creates the sequence of an identity column. Two groups of shards never assign the same id. A sequence
  // begins far above the highest id, because rows with even higher ids may have been deleted.
  `CREATE OR REPLACE FUNCTION delegation.count_on(anchor bigint, schema text, table_name text, shard text, attribute name, type regtype)
   RETURNS void LANGUAGE plpgsql SET citus.enable_ddl_propagation = off SET search_path = public AS $$
   DECLARE
     -- Has the name of the table's own sequence, so that statements find this sequence first.
     sequence text := format('%I.%I', schema, format('%s_%s_seq', table_name, attribute));
     groups bigint; place bigint; highest bigint; first bigint;
   BEGIN
     IF to_regclass(sequence) IS NULL THEN
       SELECT s.groups, s.place INTO groups, place FROM (
         SELECT shardid, count(*) OVER () AS groups, row_number() OVER (ORDER BY shardminvalue::integer) AS place
         FROM pg_dist_shard WHERE logicalrelid = 'tasks'::regclass
       ) s WHERE s.shardid = anchor;
       SELECT max(f.id) INTO first FROM delegation.first_ids f WHERE f.name = table_name;
       EXECUTE format('SELECT max(%I) FROM %I', attribute, shard) INTO highest;
       highest := GREATEST(highest, first, 0);
       IF highest > 0 THEN highest := highest + CASE WHEN type = 'bigint'::regtype THEN 2::bigint ^ 32 ELSE 10000 END; END IF;
       EXECUTE format('CREATE SEQUENCE %s START %s INCREMENT %s', sequence, (highest / groups + 1) * groups + place, groups);
     END IF;
     EXECUTE format('ALTER VIEW %I.%I ALTER COLUMN %I SET DEFAULT nextval(%L)', schema, table_name, attribute, sequence);
   END $$`,
  // Drops the views, because a view does not show columns that its table gets later. Without the lock, a
  // simultaneous statement would read the empty table of the coordinator instead of the shard.
  `CREATE OR REPLACE FUNCTION delegation.forget_shards() RETURNS void LANGUAGE plpgsql
   SET citus.enable_ddl_propagation = off AS $$
   DECLARE
     schema name;
     views text;
   BEGIN
     FOR schema IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^shards_[0-9]+$' ORDER BY 1 LOOP
       PERFORM lock_shard_metadata(7, ARRAY[substr(schema, 8)::bigint]);
       SELECT string_agg(c.oid::regclass::text, ', ') INTO views FROM pg_class c
       WHERE c.relnamespace = schema::regnamespace AND c.relkind = 'v' AND c.relname <> 'counted';
       IF views IS NOT NULL THEN EXECUTE 'DROP VIEW ' || views; END IF;
     END LOOP;
   END $$`,
  // Drops the views on the node of a workspace. The shards stay locked until the transaction ends.
  `CREATE OR REPLACE FUNCTION delegation.forget(workspace integer) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM delegation.forget_shards();
   END $$`,
  // Runs a statement of a workspace. Until the transaction ends, the lock prevents Citus from moving the
  // shards, and prevents others from dropping the views. Creates the views if they are missing.
  `CREATE OR REPLACE FUNCTION delegation.run(workspace integer, statement text, given text[], returns_rows boolean)
   RETURNS SETOF record LANGUAGE plpgsql
   SET search_path = public SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off SET "TimeZone" = 'UTC' AS $$
   DECLARE
     anchor bigint := get_shard_id_for_distribution_column('tasks', workspace);
     schema text := 'shards_' || anchor;
     changed integer;
   BEGIN
     IF current_setting('lock_timeout') = '0' THEN PERFORM set_config('lock_timeout', '5s', true); END IF;
     PERFORM lock_shard_metadata(5, ARRAY[anchor]);
     IF NOT EXISTS (
       SELECT FROM pg_dist_placement p JOIN pg_dist_local_group g USING (groupid) WHERE p.shardid = anchor
     ) THEN RAISE EXCEPTION 'workspace % stands on another node', workspace USING ERRCODE = 'lock_not_available'; END IF;
     IF to_regclass(schema || '.tasks') IS NULL THEN PERFORM delegation.name_shards(anchor); END IF;
     PERFORM set_config('search_path', schema || ',public', true);
     IF returns_rows THEN RETURN QUERY EXECUTE statement USING given;
     ELSE
       EXECUTE statement USING given;
       GET DIAGNOSTICS changed = ROW_COUNT;
       RETURN QUERY SELECT changed;
     END IF;
   END $$`,
];
