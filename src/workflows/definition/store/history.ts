import { type EntityManager, LessThan, MoreThan } from 'typeorm';
import { DefinitionVersionEntity } from '../../model/entities/definition-version.entity.js';
import { WorkspaceEntity } from '../../model/entities/workspace.entity.js';
import { type Change } from '../../model/changed-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';

interface NewVersion {
  readonly workspaceId: number;
  readonly version: number;
  readonly author: string;
  readonly changes: readonly Change[];
  readonly definition: WorkspaceDefinition;
}

export async function recordVersion(db: EntityManager, made: NewVersion): Promise<void> {
  const { workspaceId, version, author, changes, definition } = made;
  await db.insert(DefinitionVersionEntity, {
    workspaceId,
    version,
    appliedBy: author,
    changes: [...changes],
    definition,
  });
}

/** All recorded versions of a definition, newest first. Undefined if the workspace does not exist. */
export async function findHistory(
  db: EntityManager,
  slug: string,
): Promise<DefinitionVersionEntity[] | undefined> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  if (!workspace) return undefined;
  const where = { workspaceId: workspace.id };
  return db.find(DefinitionVersionEntity, { where, order: { version: 'DESC' } });
}

/** A recorded version of a definition, without the definition itself. */
export type VersionHead = Readonly<
  Pick<DefinitionVersionEntity, 'version' | 'appliedAt' | 'appliedBy' | 'changes'>
>;

/** At most `limit` recorded versions that precede version `before`, newest first. */
export async function listVersions(
  db: EntityManager,
  workspaceId: number,
  before: number,
  limit: number,
): Promise<VersionHead[]> {
  const where = { workspaceId, version: LessThan(before) };
  return db.find(DefinitionVersionEntity, { select: head, where, order: { version: 'DESC' }, take: limit });
}

export async function findVersion(
  db: EntityManager,
  workspaceId: number,
  version: number,
): Promise<VersionHead | undefined> {
  const where = { workspaceId, version };
  return (await db.findOne(DefinitionVersionEntity, { select: head, where })) ?? undefined;
}

export type RecordedChanges = DefinitionVersionEntity['changes'];

/** A recorded version with its definition. `since` holds the changes of each later version, oldest first. */
export interface FormerVersion {
  readonly former: DefinitionVersionEntity;
  readonly since: readonly RecordedChanges[];
}

export async function findFormer(
  db: EntityManager,
  workspaceId: number,
  version: number,
): Promise<FormerVersion | undefined> {
  const former = await db.findOneBy(DefinitionVersionEntity, { workspaceId, version });
  return former ? { former, since: await changesSince(db, workspaceId, version) } : undefined;
}

const head = { workspaceId: true, version: true, appliedAt: true, appliedBy: true, changes: true } as const;

/** The changes of each version after this one, oldest first. */
export async function changesSince(
  db: EntityManager,
  workspaceId: number,
  version: number,
): Promise<RecordedChanges[]> {
  const later = await db.find(DefinitionVersionEntity, {
    select: { workspaceId: true, version: true, changes: true },
    where: { workspaceId, version: MoreThan(version) },
    order: { version: 'ASC' },
  });
  return later.map(({ changes }) => changes);
}

/**
 * The name that the element at this path has after these changes. Undefined if the changes remove the
 * element.
 */
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

/** A user's label is an e-mail, so it is compared in lower case. */
const folded = (what: string, label: string): string => (what === 'user' ? label.toLowerCase() : label);
