import { type DataSource, type EntityManager } from 'typeorm';

/** Where a table stands: with its workspace on one node, on every node, or on the coordinator alone. */
export type Place = 'by workspace' | 'everywhere' | 'coordinator';

export interface PlacedTable {
  readonly name: string;
  readonly place: Place;
  readonly wanted: Place;
  /** Into how many shards it is divided; null where it is not. */
  readonly shards: number | null;
}

/** How a database stands on Citus. */
export interface Distribution {
  readonly version: string;
  readonly nodes: readonly { readonly name: string; readonly shards: number }[];
  readonly tables: readonly PlacedTable[];
  /** What of a node's settings has to be otherwise. */
  readonly unset: readonly string[];
}

/** Reads it; throws where the database is not the coordinator of a Citus that has workers. */
export async function readDistribution(db: EntityManager): Promise<Distribution> {
  const version = await citusVersion(db);
  const nodes = await db.query<Distribution['nodes'][number][]>(readNodes);
  if (nodes.length === 0)
    throw new Error('This Citus has no worker. Add one: SELECT citus_add_node(HOST, PORT)');
  const tables = await db.query<PlacedTable[]>(readTables, [kept, copied]);
  const unset = await db.query<{ setting: string }[]>(readUnset, [SETTINGS.join(' ')]);
  return { version, nodes, tables, unset: unset.map(({ setting }) => setting) };
}

async function citusVersion(db: EntityManager): Promise<string> {
  const [citus] = await db.query<{ version: string }[]>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  );
  if (!citus)
    throw new Error(
      'This database has no Citus: the extension "citus" is not installed in it. DATABASE_URL has to name the coordinator.',
    );
  const [node] = await db.query<{ isCoordinator: boolean }[]>(
    'SELECT citus_is_coordinator() AS "isCoordinator"',
  );
  if (node?.isCoordinator !== true)
    throw new Error('This is no coordinator of Citus, or one that does not know its own address: SELECT citus_set_coordinator_host(HOST, PORT)'); // prettier-ignore
  return citus.version;
}

/** Brings every table to where it belongs, all or none; gives the names of those that it brought there. */
export async function distribute(dataSource: DataSource): Promise<string[]> {
  return dataSource.transaction(async (tx) => {
    // Keeps migrations from running, and another one that distributes.
    await tx.query('LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
    const { tables } = await readDistribution(tx);
    const moved = tables.filter(({ place, wanted }) => place !== wanted);
    if (moved.length > 0) await move(tx, moved);
    return moved.map(({ name }) => name);
  });
}

async function move(tx: EntityManager, tables: readonly PlacedTable[]): Promise<void> {
  // One shard after the other, so that one transaction may hold all that follows.
  await tx.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  await tx.query('SET LOCAL citus.enable_unsafe_triggers = on');
  const names = tables.map(({ name }) => name);
  const keys = await tx.query<Definition[]>(readForeignKeys, [names]);
  // Rows are copied to their node by INSERT, which must not be recorded as an event.
  const triggers = await tx.query<Definition[]>(readTriggers, [names]);
  for (const { dropped } of [...keys, ...triggers]) await tx.query(dropped);
  for (const { name, wanted } of inOrder(tables))
    await (wanted === 'everywhere' ? tx.query(copy, [name]) : tx.query(spread, [name]));
  for (const { made } of [...keys, ...triggers]) await tx.query(made);
}

/** What is taken away from a table, and given back. */
interface Definition {
  readonly dropped: string;
  readonly made: string;
}

/** The table that others are placed along with is the first of those that are spread. */
function inOrder(tables: readonly PlacedTable[]): PlacedTable[] {
  const rank = ({ name, wanted }: PlacedTable): number => {
    if (wanted === 'everywhere') return 0;
    return name === FIRST_TABLE ? 1 : 2;
  };
  return [...tables].sort((one, other) => rank(one) - rank(other));
}

/** Tables that are looked at before anybody knows the workspace. */
const copied = ['workspaces', 'api_keys'];
/** TypeORM's own. */
const kept = ['migrations'];
const FIRST_TABLE = 'tasks';
/** What nodes have to allow: functions and triggers of a shard that read and write tables. */
const SETTINGS = ['citus.allow_nested_distributed_execution', 'citus.enable_unsafe_triggers'];

const readNodes = `
  SELECT n.nodename || ':' || n.nodeport AS name, count(p.shardid)::integer AS shards
  FROM pg_dist_node n LEFT JOIN pg_dist_placement p ON p.groupid = n.groupid AND p.shardid IN (
    SELECT shardid FROM pg_dist_shard WHERE shardminvalue IS NOT NULL
  )
  WHERE n.isactive AND n.groupid <> 0 GROUP BY n.nodename, n.nodeport ORDER BY 1`;

const readTables = `
  SELECT c.relname AS name,
    CASE p.partmethod WHEN 'h' THEN 'by workspace' WHEN 'n' THEN 'everywhere' ELSE 'coordinator' END AS place,
    CASE WHEN c.relname = ANY($1) THEN 'coordinator' WHEN c.relname = ANY($2) THEN 'everywhere' ELSE 'by workspace' END
      AS wanted,
    CASE p.partmethod WHEN 'h' THEN (SELECT count(*)::integer FROM pg_dist_shard s WHERE s.logicalrelid = c.oid) END
      AS shards
  FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid AND (p.partmethod = 'h' OR p.repmodel = 't')
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

const readUnset = `
  SELECT name || ' of ' || nodename || ':' || nodeport || ' is ' || result || ', not on' AS setting
  FROM unnest(string_to_array($1, ' ')) name
  CROSS JOIN LATERAL run_command_on_all_nodes('SHOW ' || name) r JOIN pg_dist_node n ON n.nodeid = r.nodeid
  WHERE result <> 'on' ORDER BY 1`;

// Citus knows no ON UPDATE CASCADE for a key with the workspace in it.
const readForeignKeys = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS dropped,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
      replace(pg_get_constraintdef(oid), ' ON UPDATE CASCADE', '')) AS made
  FROM pg_constraint
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace
    AND (conrelid::regclass::text = ANY($1) OR confrelid::regclass::text = ANY($1))`;

const readTriggers = `
  SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS dropped, pg_get_triggerdef(oid) AS made
  FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY($1)`;

const copy = 'SELECT create_reference_table($1::text)';
const spread = `
  SELECT create_distributed_table(
    $1::text, 'workspace_id', colocate_with => CASE WHEN $1 = '${FIRST_TABLE}' THEN 'none' ELSE '${FIRST_TABLE}' END
  )`;
