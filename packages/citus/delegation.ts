import pg from 'pg';
import { type CitusClient, type ScopedStatement, type StatementScope } from './statement.js';

/**
 * Makes a connection run each statement of a workspace on the workspace's node (`delegation.sql.ts`). On this
 * connection, PostgreSQL plans a statement anew for each run, and `SET LOCAL` applies on the nodes, too.
 * A statement opens at most one connection to each node.
 */
export async function delegate(client: pg.Client): Promise<void> {
  spread.add(client);
  delegateTexts(client);
  await client.query(
    "SET plan_cache_mode = force_custom_plan; SET citus.propagate_set_commands = 'local'; SET citus.max_adaptive_executor_pool_size = 1",
  );
}

const spread = new WeakSet<object>();

export function isDelegating(client: object): boolean {
  return spread.has(client);
}

/** Runs a statement. On Citus, the statement runs on the nodes of the workspaces in its scope. */
export async function ask<Row>(client: pg.ClientBase, query: ScopedStatement): Promise<Row[]> {
  if (!isDelegating(client)) return run<Row>(client, query);
  const rows: Row[] = [];
  for (const each of await delegated(client, query))
    rows.push(...readDelegated(query, each, await run<Row>(client, each)));
  return rows;
}

async function run<Row>(client: CitusClient<Row>, { name, text, values }: ScopedStatement): Promise<Row[]> {
  return (await client.query({ name, text, values })).rows;
}

interface Delegated extends ScopedStatement {
  readonly returnsRows: boolean;
}

/** Wraps a statement for its workspace, or for each group of shards. For `no workspace`, wraps nothing. */
async function delegated(client: CitusClient<unknown>, query: ScopedStatement): Promise<Delegated[]> {
  const { scope, ...own } = query;
  if (scope === 'no workspace') return [{ ...own, returnsRows: true }];
  const [id] = query.values;
  if (scope === undefined && typeof id !== 'number')
    throw new Error('a statement does not name its workspace');
  const wrapped = await wrap(client, query.text);
  const ids = scope === undefined ? [id] : await oneOfEachGroup(client, scope);
  return ids.map((id) => ({ ...own, ...wrapped, values: [id, ...query.values] }));
}

/** Sends the statements of TypeORM to the node of their workspace. Drops the views before ALTER TABLE. */
function delegateTexts(client: pg.Client): void {
  const inherited: object = Object.getPrototypeOf(client) as object;
  const ask = (given: readonly unknown[]): unknown =>
    Reflect.apply(Reflect.get(inherited, 'query') as typeof client.query, client, given);
  const query = (...given: readonly unknown[]): unknown => {
    const [text, values] = given;
    if (typeof text !== 'string') return ask(given);
    if (/\bALTER TABLE\b/.test(text)) return forgetShards(client).then(() => ask(given));
    if (!Array.isArray(values)) return ask(given);
    const id = workspaceOf(text, values);
    return id === undefined ? ask(given) : askThere(client, text, [id, ...(values as unknown[])]);
  };
  Object.assign(client, { query });
}

/** Finds the workspace in a condition or an INSERT. Returns undefined for tables that every node has. */
export function workspaceOf(text: string, values: readonly unknown[]): unknown {
  if (/\b(?:api_keys|workspaces)\b/.test(text)) return undefined;
  const [, place] = ofWorkspace.exec(text) ?? intoWorkspace.exec(text) ?? [];
  return place === undefined ? undefined : values[Number(place) - 1];
}

const ofWorkspace = /\bworkspace_id"? = \$(\d+)/;
const intoWorkspace = /^\s*INSERT INTO [^(]*\("?workspace_id"?,[^)]*\) VALUES \(\$(\d+),/;

/** Runs a wrapped statement, and returns the parts of `pg`'s result that TypeORM reads. */
async function askThere(client: pg.Client, text: string, values: unknown[]): Promise<unknown> {
  const { returnsRows, ...wrapped } = await wrap(client, text);
  const result = await client.query<Counted>({ ...wrapped, values });
  const command = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase();
  if (returnsRows) return Object.assign(result, { command });
  return { command, rows: rowsWithoutColumns(text, result.rows), rowCount: result.rows[0]?.changed ?? 0 };
}

function readDelegated<Row>({ text }: ScopedStatement, { returnsRows }: Delegated, rows: Row[]): Row[] {
  return returnsRows ? rows : (rowsWithoutColumns(text, rows as Counted[]) as Row[]);
}

interface Counted {
  readonly changed: number;
}

/** For a SELECT without columns, returns `counted.changed` empty rows. Otherwise, returns no rows. */
function rowsWithoutColumns(text: string, [counted]: readonly Counted[]): object[] {
  return /^\s*SELECT\b/.test(text) ? Array.from({ length: counted?.changed ?? 0 }, () => ({})) : [];
}

type Wrapped = Pick<Delegated, 'text' | 'returnsRows'>;

async function wrap(client: CitusClient<unknown>, text: string): Promise<Wrapped> {
  const known = wraps.get(text);
  if (known) return known;
  const types = await typesOf(client, text);
  const made = { text: wrappedText(text, types), returnsRows: types.columns.length > 0 };
  if (wraps.size === MAX_WRAPS) wraps.clear();
  wraps.set(text, made);
  return made;
}

const wraps = new Map<string, Wrapped>();
const MAX_WRAPS = 2000;

interface Types {
  readonly parameters: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Returns a call of `delegation.run`. The workspace comes first, then the statement's values as texts. */
function wrappedText(text: string, { parameters, columns }: Types): string {
  const typeOf = (place: string): string => parameters[Number(place) - 1] ?? 'text';
  const own = text.replace(/\$(\d+)/g, (_, place: string) => `(($1)[${place}]::${typeOf(place)})`);
  const given = parameters.map((type, index) => `$${index + 2}${type === 'bytea' ? '::bytea' : ''}::text`);
  const shown = columns.map(({ name }, index) => `c${index} AS ${pg.escapeIdentifier(name)}`);
  const defined = columns.map(({ type }, index) => `c${index} ${type}`);
  return `
    SELECT ${shown.join(', ') || 'changed'}
    FROM delegation.run(
      $1::text::integer, ${pg.escapeLiteral(own)}, ARRAY[${given.join(', ')}]::text[], ${columns.length > 0}
    ) AS t (${defined.join(', ') || 'changed integer'})`;
}

/** Returns the types of a statement. Prepares the statement, because PostgreSQL then reports the types. */
async function typesOf(client: CitusClient<unknown>, text: string): Promise<Types> {
  const name = `described-${(described += 1)}`;
  const fields = await prepare(client, name, text);
  const oids = fields.map(({ dataTypeID }) => dataTypeID);
  const modifiers = fields.map(({ dataTypeModifier }) => dataTypeModifier);
  const { rows } = await (client as CitusClient<TypeNames>).query({
    text: readTypes,
    values: [name, oids, modifiers],
  });
  await client.query({ text: `DEALLOCATE "${name}"`, values: [] });
  const [{ parameters, columns } = { parameters: [], columns: [] }] = rows;
  // Some functions, such as those that take locks, return void. A column cannot have the type void.
  if (columns.every((type) => type === 'void')) return { parameters, columns: [] };
  return {
    parameters,
    columns: fields.map((field, index) => ({ name: field.name, type: columns[index] ?? '' })),
  };
}

interface TypeNames {
  readonly parameters: readonly string[];
  readonly columns: readonly string[];
}

let described = 0;

const readTypes = `
  SELECT p.parameter_types::text[] AS parameters,
    ARRAY(
      SELECT format_type(t.id, t.modifier) FROM unnest($2::oid[], $3::integer[]) WITH ORDINALITY t (id, modifier, place)
      ORDER BY place
    ) AS columns
  FROM pg_prepared_statements p WHERE p.name = $1`;

/**
 * Drops the views, so that the transaction can change the columns of tables. The next statement creates the
 * views again. Other statements wait for the coordinator's table locks before they lock anything on a node.
 */
async function forgetShards(client: pg.Client): Promise<void> {
  // Locks the tables in the same order as statements do.
  await client.query('DO $$ BEGIN LOCK TABLE api_keys, workspaces, tasks IN ACCESS EXCLUSIVE MODE; END $$');
  for (const id of await oneOfEachGroup(client, 'all shards'))
    await client.query({ text: 'SELECT delegation.forget($1::integer)', values: [id] });
}

async function oneOfEachGroup(client: CitusClient<unknown>, scope: StatementScope): Promise<number[]> {
  const text = scope === 'all shards' ? readAllGroups : readGroups;
  const { rows } = await (client as CitusClient<{ id: number }>).query({ text, values: [] });
  return rows.map(({ id }) => id);
}

const readGroups = `
  SELECT min(id) AS id FROM workspaces GROUP BY get_shard_id_for_distribution_column('tasks', id) ORDER BY 1`;
// Tries many more numbers than there are groups of shards, so that every group has at least one number.
const readAllGroups = `
  SELECT min(id) AS id
  FROM generate_series(1, (SELECT 20 * count(*) FROM pg_dist_shard WHERE logicalrelid = 'tasks'::regclass)::integer) id
  GROUP BY get_shard_id_for_distribution_column('tasks', id) ORDER BY 1`;

/** Prepares a statement and returns its columns. `pg` itself would also run a statement that it prepares. */
function prepare(client: CitusClient<unknown>, name: string, text: string): Promise<pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    client.query(new Preparation(name, text, resolve, reject));
  });
}

class Preparation extends pg.Query {
  private fields: pg.FieldDef[] = [];

  constructor(
    readonly name: string,
    private readonly text: string,
    private readonly resolve: (fields: pg.FieldDef[]) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    super(text);
  }

  override submit = (connection: pg.Connection): void => {
    const { name, text } = this;
    connection.parse({ name, text, types: [] }, true);
    connection.describe({ type: 'S', name }, true);
    connection.sync();
  };

  handleRowDescription({ fields }: { readonly fields: pg.FieldDef[] }): void {
    this.fields = fields;
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}
