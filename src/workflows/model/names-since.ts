import { type EntityManager, MoreThan } from 'typeorm';
import { DefinitionVersionEntity } from './entities/definition-version.entity.js';
import { type ChangeColumn } from '../../common/database/json-columns.js';

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

/** The present name of an element, by the path before its name: of its workflow, or none; undefined if it was removed. */
export function nameNow(
  what: string,
  path: readonly string[],
  name: string,
  since: readonly RecordedChanges[],
): string | undefined {
  return since.reduce<string | undefined>(
    (current, changes) => (current === undefined ? undefined : nameAfter(changes, what, [...path, current])),
    name,
  );
}

/** The name after these changes, the last of the path; undefined if they remove the element. */
export function nameAfter(
  changes: RecordedChanges,
  what: string,
  path: readonly string[],
): string | undefined {
  const label = folded(what, path.join(' / '));
  const own = changes.filter((change) => change.what === what && folded(what, change.name) === label);
  const renamed = own.find(({ kind }) => kind === 'rename')?.detail;
  return renamed ?? (own.some(({ kind }) => kind === 'remove') ? undefined : path.at(-1));
}

/** E-mails are the same in any case. */
const folded = (what: string, label: string): string => (what === 'user' ? label.toLowerCase() : label);
