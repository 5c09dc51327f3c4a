import { createDelegation } from './delegation.sql.js';
import { type DataSource, type EntityManager } from 'typeorm';

/** The nodes that have a table's rows: the node of the workspace, every node, or only the coordinator. */
export type TablePlacement = 'by workspace' | 'everywhere' | 'coordinator';

export interface PlacedTable {
  readonly name: string;
  readonly place: TablePlacement;
  readonly wanted: TablePlacement;
  /** The number of the table's shards; null if the table is not distributed. */
  readonly shards: number | null;
}

export interface Distribution {
  readonly version: string;
  readonly nodes: readonly { readonly name: string; readonly shards: number }[];
  readonly tables: readonly PlacedTable[];
  /** One message for each setting that must be on, but is off on a node. */
  readonly unset: readonly string[];
}

/** Reads the placement of all tables. Throws if the database is not a coordinator, or has no workers. */
export async function readDistribution(db: EntityManager): Promise<Distribution> {
  const version = await citusVersion(db);
  const nodes = await db.query<Distribution['nodes'][number][]>(readNodes);
  if (nodes.length === 0)
    throw new Error('This Citus has no worker. Add a worker: SELECT citus_add_node(HOST, PORT)');
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
      'The extension "citus" is not installed in this database: DATABASE_URL must name the coordinator.',
    );
  const [node] = await db.query<{ isCoordinator: boolean }[]>(
    'SELECT citus_is_coordinator() AS "isCoordinator"',
  );
  if (node?.isCoordinator !== true)
    throw new Error('This database is not a coordinator of Citus, or does not know its own address: SELECT citus_set_coordinator_host(HOST, PORT)'); // prettier-ignore
  return citus.version;
}

/** Moves all misplaced tables in one transaction. Returns the names of the moved tables. */
export async function distribute(dataSource: DataSource): Promise<string[]> {
  const moved = await dataSource.transaction(async (tx) => {
    // Blocks migrations and other calls of `distribute`.
    await tx.query('LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
    const { tables } = await readDistribution(tx);
    const moved = tables.filter(({ place, wanted }) => place !== wanted);
    for (const statement of createDelegation) await tx.query(statement);
    if (moved.length > 0) await move(tx, moved);
    await tx.query(copyFirstIds);
    for (const each of delegateByWorkspace) await tx.query(each);
    return moved.map(({ name }) => name);
  });
  await forgetShards(dataSource);
  await nameShards(dataSource);
  return moved;
}

/** Runs a change of tables. First drops the views of shards, and creates the views again after the change. */
export async function changeTables<T>(dataSource: DataSource, change: () => Promise<T>): Promise<T> {
  await forgetShards(dataSource);
  const result = await change();
  await nameShards(dataSource);
  return result;
}

/** Creates the missing views of shards on every node, so that the next statement finds the views. */
async function nameShards(dataSource: DataSource): Promise<void> {
  await onEachNode(dataSource, nameEach);
}

/** Drops the views of shards on every node, including nodes without shards. */
async function forgetShards(dataSource: DataSource): Promise<void> {
  await onEachNode(dataSource, forget);
}

async function onEachNode(dataSource: DataSource, statement: string): Promise<void> {
  for (const { success, result } of await dataSource.query<{ success: boolean; result: string }[]>(statement))
    if (!success) throw new Error(result);
}

const forget = "SELECT success, result FROM run_command_on_all_nodes('SELECT delegation.forget_shards()')";
const nameEach = `
  SELECT success, result FROM run_command_on_shards('tasks', $$ SELECT delegation.name_shards(substr('%s', 7)::bigint) $$)`;

async function move(tx: EntityManager, tables: readonly PlacedTable[]): Promise<void> {
  // Changes the shards one after the other, so that Citus accepts the next statements of this transaction.
  await tx.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  await tx.query('SET LOCAL citus.enable_unsafe_triggers = on');
  const names = tables.map(({ name }) => name);
  const keys = await tx.query<Definition[]>(readForeignKeys, [names]);
  // Citus copies rows by INSERT. Drops the triggers during the move, so that no copy is recorded as an event.
  const triggers = await tx.query<Definition[]>(readTriggers, [names]);
  for (const { dropped } of [...keys, ...triggers]) await tx.query(dropped);
  for (const { name, column } of await tx.query<Identity[]>(readIdentities, [names]))
    await tx.query(
      `INSERT INTO delegation.first_ids SELECT $1, COALESCE(max("${column}"), 0) FROM "${name}"`,
      [name],
    );
  for (const { name, wanted } of inOrder(tables))
    await (wanted === 'everywhere' ? tx.query(copy, [name]) : tx.query(spread, [name]));
  for (const { made } of [...keys, ...triggers]) await tx.query(made);
  if (names.includes('links')) for (const statement of followRelationships) await tx.query(statement);
}

interface Identity {
  readonly name: string;
  readonly column: string;
}

/** A foreign key or trigger that is dropped before the move and created again. */
interface Definition {
  readonly dropped: string;
  readonly made: string;
}

/** Sorts tables for the move: copied tables first, then `tasks`, which determines the nodes of the others. */
function inOrder(tables: readonly PlacedTable[]): PlacedTable[] {
  const rank = ({ name, wanted }: PlacedTable): number => {
    if (wanted === 'everywhere') return 0;
    return name === FIRST_TABLE ? 1 : 2;
  };
  return [...tables].sort((one, other) => rank(one) - rank(other));
}

/** These tables are copied to every node, because they are read before the workspace is known. */
const copied = ['workspaces', 'api_keys'];
/** These tables stay on the coordinator: TypeORM's own table, and tables without a workspace. */
const kept = ['migrations', 'sign_in_failures'];
const FIRST_TABLE = 'tasks';
/** Settings that all nodes need, because functions and triggers of a shard read and write tables. */
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

// Replaces ON UPDATE CASCADE, which Citus does not support for a foreign key that contains the workspace.
// Triggers run in the order of their names: `A_follow` runs before the trigger of the foreign key.
const followRelationships = [
  `CREATE FUNCTION delegation.follow_relationship() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE links SET kind = NEW.kind WHERE workspace_id = NEW.workspace_id AND relationship_id = NEW.id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER "A_follow" AFTER UPDATE OF kind ON relationships FOR EACH ROW WHEN (OLD.kind <> NEW.kind)
   EXECUTE FUNCTION delegation.follow_relationship()`,
];

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

const delegateByWorkspace = ['run(integer,text,text[],boolean)', 'forget(integer)'].map(
  (name) => `
  SELECT create_distributed_function('delegation.${name}', 'workspace',
    colocate_with => '${FIRST_TABLE}', force_delegation => true)`,
);

const readIdentities = `
  SELECT c.relname AS name, a.attname AS "column" FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY($1) AND a.attidentity <> ''`;

// Copies `first_ids` to every node, because the function `count_on` reads the table on every node.
const copyFirstIds = `
  SELECT create_reference_table('delegation.first_ids')
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'delegation.first_ids'::regclass)`;

const copy = 'SELECT create_reference_table($1::text)';
const spread = `
  SELECT create_distributed_table(
    $1::text, 'workspace_id', colocate_with => CASE WHEN $1 = '${FIRST_TABLE}' THEN 'none' ELSE '${FIRST_TABLE}' END
  )`;
