import { type EntityManager, type ObjectLiteral } from 'typeorm';
import { FieldEntity } from './entities/field.entity.js';
import { RelationshipEntity } from './entities/relationship.entity.js';
import { StageEntity, ChecklistTemplateItemEntity } from './entities/stage.entity.js';
import { UserEntity } from './entities/user.entity.js';
import { WorkflowEntity } from './entities/workflow.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { type NotificationDefaults } from './notification-definition.js';

export interface WorkspaceRows extends ListRows {
  readonly workspace: WorkspaceEntity;
}

export const noRows = () => ({
  users: new Array<UserEntity>(),
  workflows: new Array<WorkflowEntity>(),
  stages: new Array<StageEntity>(),
  fields: new Array<FieldEntity>(),
  checklist: new Array<ChecklistTemplateItemEntity>(),
  relationships: new Array<RelationshipEntity>(),
});

/** The rows of the lists that have a table, each in the order of the definition. */
export type ListRows = Readonly<ReturnType<typeof noRows>>;

/** The rows of a list; none if the list has no table. */
export function rowsIn(rows: ListRows, list: string): readonly object[] {
  const found: unknown = Reflect.get(rows, list);
  return Array.isArray(found) ? found : none;
}

const none: readonly object[] = [];

/**
 * Reads the rows of a definition, except those in the tables of features. Call this function in a snapshot or
 * with the workspace locked, so that all rows belong to the same version.
 */
export async function loadWorkspaceRows(
  db: EntityManager,
  workspaceId: number,
): Promise<WorkspaceRows | undefined> {
  const workspace = await db.findOneBy(WorkspaceEntity, { id: workspaceId });
  if (!workspace) return undefined;
  const ofWorkspace = { workspaceId };
  return {
    workspace,
    users: await readTable(db, UserEntity, ofWorkspace),
    workflows: await readTable(db, WorkflowEntity, ofWorkspace),
    stages: await readTable(db, StageEntity, ofWorkspace),
    fields: await readTable(db, FieldEntity, ofWorkspace),
    checklist: await readTable(db, ChecklistTemplateItemEntity, ofWorkspace),
    relationships: await readTable(db, RelationshipEntity, ofWorkspace),
  };
}

/**
 * Reads rows in the order of the definition. Reads them in chunks, because TypeORM converts a whole result at
 * once and blocks other work meanwhile.
 */
export async function readTable<Row extends object>(
  db: EntityManager,
  entity: new () => Row,
  where: ObjectLiteral,
): Promise<Row[]> {
  const query = db.createQueryBuilder(entity, 'row').where(where).orderBy('row.position').limit(CHUNK_ROWS);
  for (const { propertyName } of db.dataSource.getMetadata(entity).primaryColumns)
    query.addOrderBy(`row.${propertyName}`);
  const rows: Row[] = [];
  for (let isMore = true; isMore;) {
    const chunk = await query.offset(rows.length).getMany();
    rows.push(...chunk);
    isMore = chunk.length === CHUNK_ROWS;
  }
  return rows;
}

const CHUNK_ROWS = 2000;

interface OfWorkflow {
  readonly workflowId: number;
}

export const isOfWorkflow = (row: object): row is OfWorkflow => 'workflowId' in row;

export function byWorkflow<Row extends OfWorkflow>(
  rows: readonly Row[],
): (workflow: Pick<WorkflowEntity, 'id'>) => readonly Row[] {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const known = found.get(row.workflowId);
    if (known) known.push(row);
    else found.set(row.workflowId, [row]);
  }
  return ({ id }) => found.get(id) ?? [];
}

export function notificationsOf({ settings }: Pick<WorkspaceEntity, 'settings'>): NotificationDefaults {
  return settings['notifications'] ?? {};
}
