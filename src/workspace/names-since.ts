import { type EntityManager, MoreThan } from 'typeorm';
import { DefinitionVersionEntity } from './entities/definition-version.entity.js';
import { type ChangeColumn } from '../database/json-columns.js';

/** The changes of a version, as the history stores them. */
export type RecordedChanges = readonly Pick<ChangeColumn, 'kind' | 'what' | 'name' | 'detail'>[];

/** The changes of each version after this one, oldest first. */
export async function changesSince(
  db: EntityManager,
  workspaceId: number,
  version: number,
): Promise<DefinitionVersionEntity['changes'][]> {
  const later = await db.find(DefinitionVersionEntity, {
    select: { workspaceId: true, version: true, changes: true },
    where: { workspaceId, version: MoreThan(version) },
    order: { version: 'ASC' },
  });
  return later.map(({ changes }) => changes);
}

/** The present e-mail of a user. */
export function emailNow(email: string, since: readonly RecordedChanges[]): string {
  return since.reduce((current, changes) => {
    const isOurs = ({ name }: { name: string }): boolean => name.toLowerCase() === current.toLowerCase();
    return changes.find((change) => isRename(change, 'user') && isOurs(change))?.detail ?? current;
  }, email);
}

/** The present name of an element of a workflow; undefined if it was removed. */
export function nameNow(
  what: string,
  workflow: string,
  name: string,
  since: readonly RecordedChanges[],
): string | undefined {
  return since.reduce<string | undefined>(
    (current, changes) => (current === undefined ? undefined : renamedBy(changes, what, `${workflow} / ${current}`, current)), // prettier-ignore
    name,
  );
}

/** The name after these changes; undefined if they remove the element. */
export function renamedBy(
  changes: RecordedChanges,
  what: string,
  label: string,
  name: string,
): string | undefined {
  const renamed = changes.find((change) => isRename(change, what) && change.name === label)?.detail;
  const isRemoved = changes.some(
    (change) => change.kind === 'remove' && change.what === what && change.name === label,
  );
  return renamed ?? (isRemoved ? undefined : name);
}

function isRename(change: RecordedChanges[number], what: string): boolean {
  return change.kind === 'rename' && change.what === what;
}
