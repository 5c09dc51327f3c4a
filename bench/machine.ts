import { cpus, totalmem } from 'node:os';
import type pg from 'pg';

/** The machine on which the results were measured. */
export async function describeMachine(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>('SHOW server_version');
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const [version = ''] = rows[0]?.server_version.split(' ') ?? [];
  return `${cores.length} cores (${cores[0]?.model ?? ''}), ${memory} GB, Node.js ${process.version}, PostgreSQL ${version}`;
}
