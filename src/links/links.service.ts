import { Inject, Injectable } from '@nestjs/common';
import { requireMet } from '../tasks/entity-tag.js';
import { type PageQuery, pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { CONFIG, type Config } from '../config.js';
import { linkedPage } from '../tasks/store/linked-tasks.js';
import { type Precondition, type TaskRow } from '../tasks/store/task-row.js';
import { findTaskKey } from '../tasks/store/task-keys.js';
import { changeThisTask } from '../tasks/store/upsert-task.js';
import { emptyChange } from '../workflows/fields/task-change.js';
import { type Link } from '../workflows/fields/task-schema.js';
import { type LinkedKey } from '../workflows/fields/property.js';
import { noLink, noOtherTask, noRelationship, noTask } from '../workflows/model/not-found.js';
import { requireEdits, requireEditsOfLinked } from '../workflows/model/allowed.js';
import { type TaskName } from '../workflows/model/task-name.js';
import { requireUniqueId, type Workflow } from '../workflows/model/workspace.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { withLinksLocked } from '../tasks/links/lock-links.js';
import { altersLinks } from '../tasks/links/plan-links.js';
import { replaceLinks } from '../tasks/links/replace-links.js';
import { type LinkChange, referenceTo } from '../tasks/links/find-links.js';
import { type Scope } from '../workflows/model/scope.js';
import { type ReadPage } from '../common/id-page.js';

export interface LinkPath {
  readonly task: TaskName;
  readonly relationship: string;
}

@Injectable()
export class LinksService {
  constructor(
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(scope: Scope, path: LinkPath, page: PageQuery, address: RequestAddress): Promise<TaskList> {
    return this.work.read(scope, async (db, current) => {
      const { side, write } = keyOf(current.workflow, path);
      const { taskId } = await findTaskKey(db, current, path.task);
      const read: ReadPage<TaskRow> = (after, limit) => linkedPage(db, current, taskId, side, after, limit);
      const list = { scope: current, name: ['links', side, taskId], read, write };
      return pagedList(list, page, address, this.config);
    });
  }

  /**
   * Links two tasks. Where only one link is allowed, the new link replaces the old link. With
   * `linksOnlyFree`, the request is refused if `other` would lose a link.
   */
  async add(
    scope: Scope,
    path: LinkPath,
    other: string,
    precondition: Precondition,
    linksOnlyFree = false,
  ): Promise<void> {
    await this.change(scope, path, { as: 'added', references: [other], linksOnlyFree }, precondition);
  }

  async remove(scope: Scope, path: LinkPath, other: string, precondition: Precondition): Promise<void> {
    await this.change(scope, path, { as: 'removed', references: [other] }, precondition);
  }

  private async change(
    scope: Scope,
    path: LinkPath,
    wanted: Omit<LinkChange, 'link'>,
    precondition: Precondition,
  ): Promise<void> {
    const { task: name, relationship } = path;
    const [other = ''] = wanted.references;
    await this.work.write(scope, async (db, current) => {
      const link = linkOf(current.workflow, path);
      const { schema } = current.workflow;
      const guard = schema.guards.payload.get(link.side);
      const change = { ...wanted, link, guard, locks: schema.locks };
      const reference = await referenceTo(db, current, name);
      await withLinksLocked(db, current, reference, [change], async (tx, { task, plan, ...found }) => {
        if (!task) throw noTask(current.workflow, name);
        requireEdits(current, task);
        requireEditsOfLinked(current, found.others);
        if (found.missing.length > 0) throw noOtherTask(relationship, other);
        found.errors.throwIfAny();
        requireMet(task, precondition);
        if (altersLinks(plan)) {
          await replaceLinks(tx, current.workflow, task.id, plan);
          await changeThisTask(tx, current.workflow, task.id, emptyChange(schema, 'payload'), true);
        } else if (wanted.as === 'removed') throw noLink(name, relationship, other);
      });
    });
  }
}

function keyOf(workflow: Workflow, { task, relationship }: LinkPath): LinkedKey {
  requireUniqueId(workflow, task);
  const key = workflow.schema.byName.get(relationship)?.links;
  if (!key) throw noRelationship(workflow, relationship);
  return key;
}

function linkOf(workflow: Workflow, path: LinkPath): Link {
  const link = workflow.schema.links.get(keyOf(workflow, path).side);
  if (!link) throw noRelationship(workflow, path.relationship);
  return link;
}
