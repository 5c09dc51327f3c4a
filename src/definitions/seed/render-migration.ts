import { readdir } from 'node:fs/promises';
import { type Change } from '../merge/diff.js';

/** The parts of a migration. */
export interface MigrationParts {
  readonly timestamp: number;
  readonly workspace: string;
  /** What applying changed at the time the migration was written. */
  readonly changes: readonly Change[];
  /** The text of the definition file. */
  readonly text: string;
}

/** The TypeScript of a migration that applies a definition, with its file name. */
export function renderMigration({ timestamp, workspace, changes, text }: MigrationParts): {
  readonly file: string;
  readonly code: string;
} {
  const title = titleOf(workspace, changes);
  const name = `${pascal(title)}${timestamp}`;
  const code = template
    .replaceAll('NAME', () => name)
    .replace('SEED', '../src/definitions/seed.js')
    .replace('WORKSPACE', () => workspace)
    .replace('DEFINITION', () => literal(text));
  return { file: `${timestamp}-${title}.ts`, code };
}

/** A timestamp later than now and than every migration in the folder. */
export async function nextTimestamp(folder: string, now: number): Promise<number> {
  const stamps = (await readdir(folder)).flatMap((file) => /^(\d{13})-/.exec(file)?.[1] ?? []);
  return Math.max(now, ...stamps.map((stamp) => Number(stamp) + 1));
}

const template = `import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { seedDefinition, unseedDefinition } from 'SEED';

/** Changes the definition of workspace WORKSPACE; what it does not name stays. */
export class NAME implements MigrationInterface {
  readonly name = 'NAME';

  async up(db: QueryRunner): Promise<void> {
    await seedDefinition(db, this.name, definition);
  }

  /** Takes back what \`up\` did; refuses where tasks would lose something. */
  async down(db: QueryRunner): Promise<void> {
    await unseedDefinition(db, this.name);
  }
}

const definition = \`
DEFINITION
\`;
`;

/** \`define-acme\`, \`add-field-tier-to-acme\`, \`change-acme\` */
function titleOf(workspace: string, changes: readonly Change[]): string {
  const [first, second] = changes;
  if (!first || first.what === 'workspace') return words(first && second ? 'define' : 'apply', workspace);
  const name = first.name.split(' / ').at(-1) ?? '';
  return second ? words('change', workspace) : words(first.kind, first.what, name, 'of', workspace);
}

function words(...parts: readonly string[]): string {
  const plain = parts.join('-').normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-'); // prettier-ignore
  return plain.slice(0, 80).replace(/^-+|-+$/g, '');
}

function pascal(title: string): string {
  return title.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Escapes a text for a template literal. */
function literal(text: string): string {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n').trimEnd(); // prettier-ignore
  return lines.replace(/\\/g, '\\\\').replace(/`/g, '\\`').replace(/\$\{/g, '\\${');
}
