import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { type UserKey } from '../../auth/sessions.repository.js';
import { sql } from '../../database/sql.js';
import { PersonalViewEntity } from '../../entities/personal-view.entity.js';
import { queryOfView } from '../../workspace/view-definition.js';
import { type Workflow, type Workspace } from '../../workspace/workspace.js';

/** A board or list under a name. */
export interface View {
  readonly id: string;
  readonly name: string;
  readonly workflow: Workflow;
  readonly as: 'board' | 'list';
  /** Of its page, with its columns. */
  readonly query: string;
  /** Whether it is its reader's alone, rather than one that the definition shares. */
  readonly isOwn: boolean;
}

/** Where it is shown. */
export const viewPath = (id: string): string => `/views/${encodeURIComponent(id)}`;

/** Why a view is not kept under a name. */
type ViewFault = 'taken' | 'tooMany';

/** The views of users: those that they share, and those that are one's own. */
@Injectable()
export class Views {
  constructor(
    @InjectRepository(PersonalViewEntity) private readonly stored: Repository<PersonalViewEntity>,
  ) {}

  /** Those of the workflows that the user knows of, the shared ones first. */
  async of(workspace: Workspace, workflows: readonly Workflow[], userId: string): Promise<View[]> {
    const shared = workspace.views.flatMap(({ id, name, workflow: slug, as, ...asked }) => {
      const workflow = workflows.find((each) => each.slug === slug);
      return workflow ? { id, name, workflow, as, query: queryOfView(asked).toString(), isOwn: false } : [];
    });
    const rows = await sql<StoredView>(this.stored.manager, read, [workspace.id, userId]);
    const own = rows.flatMap(({ workflowId, ...view }) => {
      const workflow = workflows.find(({ id }) => id === workflowId);
      return workflow ? { ...view, workflow, isOwn: true } : [];
    });
    return [...shared, ...own];
  }

  /** Keeps a view of a user's own; gives its id, or says why it is not kept. */
  async save(owner: UserKey, view: Omit<StoredView, 'id'>): Promise<{ readonly id: string } | ViewFault> {
    return this.alone(owner, async (db) => {
      const others = await db.findBy(PersonalViewEntity, owner);
      if (others.some(({ name }) => name === view.name)) return 'taken';
      if (others.length >= MAX_VIEWS) return 'tooMany';
      return db.save(PersonalViewEntity, { ...owner, ...view });
    });
  }

  /** Changes what a view of a user's own is called or asks for; says whether there is one, or why its name is not taken. */
  async change(
    owner: UserKey,
    id: string,
    change: Partial<Pick<StoredView, 'name' | 'as' | 'query'>>,
  ): Promise<boolean | ViewFault> {
    return this.alone(owner, async (db) => {
      const { name } = change;
      const other = name === undefined ? null : await db.findOneBy(PersonalViewEntity, { ...owner, name });
      if (other && other.id !== id) return 'taken';
      const { affected } = await db.update(PersonalViewEntity, { ...owner, id }, change);
      return affected === 1;
    });
  }

  async remove(owner: UserKey, id: string): Promise<boolean> {
    return (await this.stored.delete({ ...owner, id })).affected === 1;
  }

  /** Lets nobody else change the views of the user meanwhile. */
  private async alone<T>(
    { workspaceId, userId }: UserKey,
    work: (db: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.stored.manager.transaction(async (db) => {
      await sql(db, lock, [workspaceId, userId]);
      return work(db);
    });
  }
}

type StoredView = Pick<PersonalViewEntity, 'id' | 'workflowId' | 'name' | 'as' | 'query'>;

/** Of one user. */
const MAX_VIEWS = 100;

const read = {
  name: 'read-personal-views',
  text: `
    SELECT id, workflow_id AS "workflowId", name, shown_as AS "as", query FROM personal_views
    WHERE workspace_id = $1 AND user_id = $2 ORDER BY name, id`,
};

const lock = {
  name: 'lock-personal-views',
  text: 'SELECT FROM users WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
};
