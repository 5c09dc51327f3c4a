import { type EntityManager } from 'typeorm';
import { sql } from './sql.js';

/** A row that belongs to this process until its lease ends; it is written under this fence only. */
export type Leased<Key> = Key & { readonly fence: number };

/** How the rows of a table are leased. */
interface LeaseTerms<Key> {
  readonly table: string;
  /** Which keys of a job name its row, and the columns that hold them; the workspace's comes first. */
  readonly columns: readonly (readonly [key: keyof Key, column: string])[];
  /** SQL: what must be so for a row to be claimed, beside that no process has it. */
  readonly isDue?: string;
  /** SQL: what must be so for a row to stay claimed, beside its fence. */
  readonly isOpen?: string;
  /** SQL: further columns that a claim reads. */
  readonly read?: string;
  /** The statement of a claim in place of the usual one; the length of the lease comes behind the key. */
  readonly claim?: string;
}

/** Leases of rows on the clock of the database: one process at a time works at a row, and each claim raises its fence. */
export class Leases<Key extends object, Read extends object = object> {
  /** SQL: that a row is the one that is claimed, and still is: its key and fence are the first values of the statement. */
  readonly isClaimed: string;
  private readonly statements: Readonly<
    Record<'claim' | 'renew' | 'release', { name: string; text: string }>
  >;

  constructor(private readonly terms: LeaseTerms<Key>) {
    const { table, columns, isDue = 'true', isOpen = 'true', read = '' } = terms;
    const isIt = columns.map(([, column], at) => `${column} = $${at + 1}`).join(' AND ');
    const next = columns.length + 1;
    this.isClaimed = `${isIt} AND fence = $${next} AND ${isOpen}`;
    const statement = (verb: string, text: string): { name: string; text: string } => ({
      name: `${verb}-${table}`,
      text,
    });
    this.statements = {
      claim: statement(
        'claim',
        terms.claim ??
          `UPDATE ${table} SET fence = fence + 1, lease_until = ${leaseOf(next)}
          WHERE ${isIt} AND ${isDue} AND ${isUnleased} RETURNING ${read ? `${read}, ` : ''}fence`,
      ),
      renew: statement(
        'renew',
        `UPDATE ${table} SET lease_until = ${leaseOf(next + 1)} WHERE ${this.isClaimed} RETURNING fence`,
      ),
      release: statement('release', `UPDATE ${table} SET lease_until = NULL WHERE ${this.isClaimed}`),
    };
  }

  /** Tells rows of all workspaces apart. */
  nameOf(key: Key): string {
    return this.valuesOf(key).join('/');
  }

  /** Claims a row that no process has; else undefined. */
  async claim(db: EntityManager, key: Key, leaseMs: number): Promise<Leased<Key & Read> | undefined> {
    const values = [...this.valuesOf(key), leaseMs];
    const [row] = await sql<Leased<Read>>(db, this.statements.claim, values);
    return row && { ...key, ...row };
  }

  /** False where another process has claimed the row, or it is gone. */
  async renew(db: EntityManager, claimed: Leased<Key>, leaseMs: number): Promise<boolean> {
    return (await sql(db, this.statements.renew, [...this.claimOf(claimed), leaseMs])).length > 0;
  }

  /** Ends the lease of a claimed row, so that anybody can claim it at once. */
  async release(db: EntityManager, claimed: Leased<Key>): Promise<void> {
    await sql(db, this.statements.release, this.claimOf(claimed));
  }

  /** The first values of a statement that writes a claimed row where `isClaimed`. */
  claimOf(claimed: Leased<Key>): unknown[] {
    return [...this.valuesOf(claimed), claimed.fence];
  }

  private valuesOf(key: Key): unknown[] {
    return this.terms.columns.map(([name]) => key[name]);
  }
}

/** SQL: that no process has a row. */
export const isUnleased = '(lease_until IS NULL OR lease_until < clock_timestamp())';

/** SQL: the end of a lease that begins now; its milliseconds are the value of this number. */
export function leaseOf(value: number): string {
  return `clock_timestamp() + make_interval(secs => $${value}::numeric / 1000)`;
}
