import { type EntityManager } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { type Narrowing } from '../common/column-values.js';
import { sql } from '../common/database/sql.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../workflows/model/definition.js';
import { type DefinitionRenames, type Renames, renamesOf } from '../workflows/model/changed-definition.js';
import { type Impact } from '../workflows/model/impact.js';

/** Renames fields and actions in the restrictions of keys. */
export const keysImpact: Impact = {
  async move(tx, { workspaceId, stored, renames }) {
    if (stored) await renameNarrowings(tx, workspaceId, stored, renames.workflows);
  },
};

async function renameNarrowings(
  db: EntityManager,
  workspaceId: number,
  stored: WorkspaceDefinition,
  renames: DefinitionRenames['workflows'],
): Promise<void> {
  const isAny = [...renames.values()].some((within) =>
    ['field', 'action'].some((kind) => renamesOf(within, kind).size > 0),
  );
  if (!isAny) return;
  for (const { id, narrowing } of await db.findBy(ApiKeyEntity, { workspaceId })) {
    const now =
      narrowing && narrowingAfter(narrowing, stored, (kind, of) => renamesOf(renames.get(of), kind));
    if (now && JSON.stringify(now) !== JSON.stringify(narrowing))
      await sql(db, update, [workspaceId, id, now]);
  }
}

const update = { text: 'UPDATE api_keys SET narrowing = $3 WHERE workspace_id = $1 AND id = $2' };

type RenamesIn = (kind: 'field' | 'action', workflow: string) => Renames;

function narrowingAfter(
  narrowing: Narrowing,
  { workflows, relationships }: WorkspaceDefinition,
  renamesIn: RenamesIn,
): Narrowing {
  const { fields, actions } = narrowing;
  const covered = workflows.filter(({ id }) => narrowing.workflows?.includes(id) ?? true);
  const ends = relationships.flatMap(({ from, to }) => [from, to]);
  const keysOf = (workflow: WorkflowDefinition): string[] => [
    ...workflow.fields.map(({ name }) => name),
    ...ends.flatMap((end) => (end.workflow === workflow.id ? end.name : [])),
  ];
  const lists = (kind: 'field' | 'action', namesOf: (workflow: WorkflowDefinition) => string[]): NamesIn[] =>
    covered.map((workflow) => ({
      names: new Set(namesOf(workflow)),
      renames: renamesIn(kind, workflow.id),
    }));
  return {
    ...narrowing,
    ...(fields && { fields: namesAfter(fields, lists('field', keysOf)) }),
    ...(actions && {
      actions: namesAfter(
        actions,
        lists('action', (of) => of.actions.map(({ id }) => id)),
      ),
    }),
  };
}

interface NamesIn {
  readonly names: ReadonlySet<string>;
  readonly renames: Renames;
}

/** Renames the names in a restriction. Drops a new name if it would allow the key more than before. */
function namesAfter(names: readonly string[], within: readonly NamesIn[]): string[] {
  const isOthers = (now: string): boolean => within.some((of) => of.names.has(now) && !of.renames.has(now));
  const after = names.flatMap((name) => {
    const holders = within.filter((of) => of.names.has(name));
    if (holders.length === 0) return [name];
    const present = holders.map(({ renames }) => renames.get(name) ?? name);
    return present.filter((now) => now === name || names.includes(now) || !isOthers(now));
  });
  return [...new Set(after)];
}
