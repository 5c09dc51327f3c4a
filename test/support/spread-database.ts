import { type DataSource, type QueryRunner } from 'typeorm';
import { delegated, readDelegated, workspaceOf } from '../../packages/citus/delegation.js';
import { distribute } from '../../packages/citus/distribution.js';
import { type CitusClient } from '../../packages/citus/statement.js';
import { type StatementScope } from '../../packages/citus/statement.js';

/**
 * On Citus, runs a test's statements that name no workspace on the shards of the existing workspaces, as the service
 * does. So the test sees the rows that the service writes, and may use every feature of PostgreSQL.
 */
export function askShards(dataSource: DataSource): DataSource {
  const make = dataSource.createQueryRunner.bind(dataSource);
  dataSource.createQueryRunner = (mode) => {
    const runner = make(mode);
    const ask = runner.query.bind(runner);
    const query = async (text: string, values?: unknown[], isStructured?: boolean): Promise<unknown> => {
      if (isStructured) return ask(text, values, true);
      let answer: unknown;
      for (const each of commandsOf(text)) {
        answer = (await askEach(runner, ask, each, values)) ?? (await ask(each, values));
        // A table of the test itself.
        if (/^\s*CREATE TABLE \w+ \(/.test(each)) await distribute(dataSource);
      }
      return answer;
    };
    return Object.assign(runner, { query });
  };
  return dataSource;
}

/** Commands inside a function are not commands of the text. */
const commandsOf = (text: string): string[] =>
  (text.replace(/^\s*--.*$/gm, '').match(/(?:(\$\w*\$)[^]*?\1|'[^']*'|[^;])+/g) ?? []).filter(
    (each) => each.trim() !== '',
  );

async function askEach(
  runner: QueryRunner,
  ask: QueryRunner['query'],
  text: string,
  values: unknown[] = [],
): Promise<unknown> {
  const command = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|LOCK)\b/i.exec(text)?.[1]?.toUpperCase() ?? '';
  const isOfOne = values.length > 0 && workspaceOf(text, values) !== undefined;
  if (command === '' || !ofShards.test(text) || isOfOne || text.includes('xmin')) return undefined;
  const all = (await ask(readGroups)) as Group[];
  const named = all.filter(({ slugs }) =>
    slugs.some((slug) => values.includes(slug) || text.includes(`'${slug}'`)),
  );
  const groups = new Set((named.length > 0 ? named : all).map(({ id }) => id));
  if (groups.size === 0) return undefined;
  const isTold = /\bRETURNING\b|^\s*(?:SELECT|WITH|LOCK)/.test(text);
  const client = (await runner.connect()) as CitusClient<unknown>;
  // Shards also contain rows of deleted workspaces.
  const isOfAll = named.length === 0 && /^(?:UPDATE|DELETE)$/.test(command);
  const scope: StatementScope = isOfAll ? 'all shards' : 'all workspaces';
  const query = { text: isTold ? text : `${text} RETURNING 1`, values, scope };
  const answers: unknown[][] = [];
  for (const each of await delegated(client, query))
    if (isOfAll || groups.has(Number(each.values[0])))
      answers.push(readDelegated(query, each, (await client.query(each)).rows));
  const rows =
    /\bcount\(/.test(text) && answers.every(({ length }) => length === 1)
      ? [added(answers.flat())]
      : answers.flat();
  return command === 'UPDATE' || command === 'DELETE' ? [rows, rows.length] : rows;
}

/** Adds up the rows of counts of several groups of shards. */
function added(rows: readonly unknown[]): unknown {
  const sum = (one: unknown, other: unknown): unknown =>
    typeof one === 'number' && typeof other === 'number' ? one + other : one;
  return rows.reduce((all, row) =>
    Object.fromEntries(
      Object.entries(all as object).map(([name, value]) => [
        name,
        sum(value, Reflect.get(row as object, name)),
      ]),
    ),
  );
}

interface Group {
  readonly id: number;
  readonly slugs: readonly string[];
}

const readGroups = `
  SELECT min(id) AS id, array_agg(slug) AS slugs FROM workspaces
  GROUP BY get_shard_id_for_distribution_column('tasks', id)`;

/** Excludes tables on every node, or only on the coordinator. */
const ofShards =
  /\b(?:FROM|JOIN|INTO|UPDATE|LOCK TABLE) "?(?:actions|approval|asks|blobs|calendar_feeds|channels|checklist|clock|comments|definition_versions|event|executions|field|followers|form_states|former|idempotency|links|mail_windows|members|messages|notifications|pg_locks|pg_stat_activity(?!.*wts-listener)|quarantined_posts|received_hooks|relationships|roles|rule_states|runs|schedule_states|sessions|sign_in_links|stages|task|timers|unique_id|users|watchers|webhook|workflows)/;
