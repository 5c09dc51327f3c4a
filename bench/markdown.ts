import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type pg from 'pg';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export async function writeMarkdown(path: string, parts: readonly string[]): Promise<void> {
  await writeFile(new URL(`../../${path}`, import.meta.url), `${parts.join('\n\n')}\n`);
}

export async function describeMachine(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>('SHOW server_version');
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const [version = ''] = rows[0]?.server_version.split(' ') ?? [];
  return `${cores.length} cores (${cores[0]?.model ?? ''}), ${memory} GB, Node.js ${process.version}, PostgreSQL ${version}`;
}
