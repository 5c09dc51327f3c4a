import { type EntityManager } from 'typeorm';
import { snakeCase } from './data-source.js';
import { sql } from './sql.js';

/**
 * A row that this process has claimed until the end of a lease. `fence` is the number of the claim. Every
 * write of the row must check `fence`.
 */
export type Leased<Key> = Key & { readonly fence: number };

interface LeaseTerms<Key> {
  readonly table: string;
  /** The properties of a key, the workspace first. Columns of these names, in snake case, identify a row. */
  readonly key: readonly (keyof Key & string)[];
  /**
   * SQL: the condition of a due row. The condition reads the time in a subquery, so that an index scan ends
   * at the last due row.
   */
  readonly isDue?: string;
  /** SQL: the order of the rows that `due` finds. Job kinds with a query of their own omit `dueAt`. */
  readonly dueAt?: string;
  /** SQL: what must hold, besides the fence, when a claimed row is written. */
  readonly isOpen?: string;
  /** SQL: further columns that a claim returns. */
  readonly read?: string;
  /** SQL: further columns that a claim sets, such as the number of leases that ran out. */
  readonly set?: string;
  /** SQL: replaces the default claim. The parameter after the key is the lease's length in milliseconds. */
  readonly claim?: string;
}

/**
 * Lets one process at a time work on a row. A claim gives the row to a process until the end of a lease, by
 * the time of the database. Each claim raises the fence, so that the process of an older claim cannot write.
 */
export class Leases<Key extends object, Read extends object = object> {
  /** SQL: holds while the claim is valid. The first parameters of the statement are those of `claimOf`. */
  readonly isClaimed: string;
  private readonly statements: Readonly<
    Record<'claim' | 'renew' | 'release' | 'due', { name: string; text: string }>
  >;

  constructor(private readonly terms: LeaseTerms<Key>) {
    const { table, key, isDue = 'true', dueAt = 'lease_until', isOpen = 'true', read = '', set = '' } = terms;
    const isIt = key.map((name, at) => `${snakeCase(name)} = $${at + 1}`).join(' AND ');
    const next = key.length + 1;
    this.isClaimed = `${isIt} AND fence = $${next} AND ${isOpen}`;
    const statement = (verb: string, text: string): { name: string; text: string } => ({
      name: `${verb}-${table}`,
      text,
    });
    this.statements = {
      claim: statement(
        'claim',
        terms.claim ??
          `UPDATE ${table} SET fence = fence + 1, lease_until = ${leaseOf(next)}${set && `, ${set}`}
          WHERE ${isIt} AND ${isDue} AND ${isUnleased} RETURNING ${read ? `${read}, ` : ''}fence`,
      ),
      renew: statement(
        'renew',
        `UPDATE ${table} SET lease_until = ${leaseOf(next + 1)} WHERE ${this.isClaimed} RETURNING fence`,
      ),
      release: statement('release', `UPDATE ${table} SET lease_until = NULL WHERE ${this.isClaimed}`),
      due: statement(
        'due',
        dueInTurns(table, key.map((name) => `${snakeCase(name)} AS "${name}"`).join(', '), isDue, dueAt),
      ),
    };
  }

  /** Names the row. The name is unique across workspaces. */
  nameOf(key: Key): string {
    return this.valuesOf(key).join('/');
  }

  /** Due rows that no process holds, from all workspaces. */
  async due(db: EntityManager, limit: number): Promise<Key[]> {
    return sql<Key>(db, { ...this.statements.due, scope: 'all workspaces' }, [limit]);
  }

  /** Claims a row. Returns undefined if another process holds the row, or if the row is not due. */
  async claim(db: EntityManager, key: Key, leaseMs: number): Promise<Leased<Key & Read> | undefined> {
    const values = [...this.valuesOf(key), leaseMs];
    const [row] = await sql<Leased<Read>>(db, this.statements.claim, values);
    return row && { ...key, ...row };
  }

  /** Extends a lease; false if another process has claimed the row, or if the row is gone or not open. */
  async renew(db: EntityManager, claimed: Leased<Key>, leaseMs: number): Promise<boolean> {
    return (await sql(db, this.statements.renew, [...this.claimOf(claimed), leaseMs])).length > 0;
  }

  /** Ends the lease of a claimed row, so that any process can claim it at once. */
  async release(db: EntityManager, claimed: Leased<Key>): Promise<void> {
    await sql(db, this.statements.release, this.claimOf(claimed));
  }

  /** The key and the fence: the first parameters of every statement with the condition `isClaimed`. */
  claimOf(claimed: Leased<Key>): unknown[] {
    return [...this.valuesOf(claimed), claimed.fence];
  }

  private valuesOf(key: Key): unknown[] {
    return this.terms.key.map((name) => key[name]);
  }
}

export const isUnleased = '(lease_until IS NULL OR lease_until < clock_timestamp())';

/** SQL: due rows that no process holds. Workspaces take turns, so that none delays the others. */
// The limit of 100 rows per workspace keeps the sort small.
const dueInTurns = (table: string, columns: string, isDue: string, at: string): string => `
    SELECT ${columns} FROM (SELECT DISTINCT workspace_id AS due_in FROM ${table} WHERE ${isDue}) w CROSS JOIN LATERAL (
      SELECT *, row_number() OVER (ORDER BY ${at}) AS turn FROM (
        SELECT * FROM ${table} d WHERE d.workspace_id = w.due_in AND ${isDue} AND ${isUnleased} ORDER BY ${at} LIMIT 100
      ) d
    ) d
    ORDER BY turn, ${at} LIMIT $1`;

/** SQL: the end of a lease that begins now. Parameter number `value` holds the lease's milliseconds. */
export function leaseOf(value: number): string {
  return `clock_timestamp() + make_interval(secs => $${value}::numeric / 1000)`;
}
