import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { boundTo, type Requester } from '../../common/database/sql.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { busy, notFound, preconditionFailed } from '../../common/errors.js';
import { FieldErrors, invalidField, InvalidFields } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { inTurns } from '../../../packages/fair/turn.js';
import { type JsonMapping } from '../model/definition-reader.js';
import { type Workspace } from '../model/workspace.js';
import { kinds } from './kinds.js';
import { storedDefinition } from '../model/stored-definition.js';
import { loadDefinitionRows } from './store/load-rows.js';
import { applyUnfilled, retried, DefinitionRefused } from './apply-definition.js';
import { lockWorkspace } from '../model/workspace.repository.js';
import { type ChangeQuery, type HistoryQuery, type RollbackQuery } from './definition.dto.js';
import { formerDefinition } from './merge/rollback.js';
import { knownSettingsOf, planWithin, type PlanOptions } from './plan-definition.js';
import { type ShownPlan, showPlan } from './plan.dto.js';
import { DefinitionFaults, faultAt } from './source/faults.js';
import { readingDefinition, type SourceDefinition } from './source/read-definition.js';
import { findFormer, findVersion, listVersions, type VersionHead } from './store/history.js';
import { exportDefinition } from './source/write-yaml.js';

/** A request that changes the definition, or plans a change. */
interface Asked {
  readonly requester: Requester;
  readonly keyName: string;
  readonly workspace: Workspace;
  readonly requestId: string;
  readonly query: Omit<ChangeQuery, 'prune'>;
  /** The tags of `If-Match`. The version in force must have one of them. Undefined allows any version. */
  readonly tags: readonly string[] | undefined;
  readonly key: string | undefined;
}

export interface AskedChange extends Asked {
  readonly text: string;
  readonly query: ChangeQuery;
}

/** The change that a request asks for. `find` reads the new definition within the transaction. */
interface Wanted {
  readonly route: 'plan' | 'apply' | 'rollback';
  readonly text: string;
  readonly isPruning: boolean;
  readonly isDry: boolean;
  readonly find: (tx: EntityManager) => Promise<SourceDefinition>;
}

export const tagOf = (version: number): string => `"${version}"`;

/** Reads, plans and applies definitions for keys of scope `admin`. The console also reads them here. */
@Injectable()
export class DefinitionsService {
  /**
   * Allows two requests at once, but only one for each workspace. A second apply to the workspace would wait
   * for the lock of the first apply.
   */
  private readonly places = new FairSemaphore(2, busy('Another definition is being planned or applied.'), {
    ofKey: 1,
    ofWorkspace: 1,
  });

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Reads the definition in force and its version in one snapshot. */
  async read(requester: Requester): Promise<{ readonly version: number; readonly document: JsonMapping }> {
    const db = boundTo(this.dataSource.manager, requester);
    return db.transaction('REPEATABLE READ', async (snapshot) => {
      const rows = await loadDefinitionRows(snapshot, requester.workspaceId);
      if (!rows) throw notFound();
      return { version: rows.workspace.version, document: exportDefinition(storedDefinition(rows, kinds)) };
    });
  }

  /** A page of the recorded versions before `before`, newest first. */
  async history(requester: Requester, { before = AFTER_ALL }: HistoryQuery): Promise<VersionHead[]> {
    const db = boundTo(this.dataSource.manager, requester);
    return listVersions(db, requester.workspaceId, Number(before), VERSIONS_OF_PAGE);
  }

  async version(workspaceId: number, version: number): Promise<VersionHead | undefined> {
    return findVersion(this.dataSource.manager, workspaceId, version);
  }

  async plan(asked: AskedChange): Promise<ShownPlan> {
    return this.change(asked, { ...wantedBy(asked), route: 'plan', isDry: true });
  }

  async apply(asked: AskedChange): Promise<ShownPlan> {
    return this.change(asked, { ...wantedBy(asked), route: 'apply', isDry: false });
  }

  /** Restores the definition of a former version; with `dry_run`, only returns the plan. */
  async rollback(asked: Asked & { readonly query: RollbackQuery }): Promise<ShownPlan> {
    const isDry = asksFor(asked, 'dry_run');
    const { workspaceId } = asked.requester;
    const { slug } = asked.workspace;
    const find = async (tx: EntityManager): Promise<SourceDefinition> => {
      // The lock prevents an apply between reading the history and restoring the version.
      if (!isDry) await lockWorkspace(tx, { slug });
      const found = await findFormer(tx, workspaceId, Number(asked.query.to));
      if (!found) throw invalidField('to', 'is not a version in the history');
      return formerDefinition(slug, found);
    };
    return this.change(asked, { route: 'rollback', text: '', isPruning: true, isDry, find });
  }

  /** Runs the change. Repeats it in a new transaction after a deadlock or a serialization failure. */
  private async change(asked: Asked, { route, text, isDry, isPruning, find }: Wanted): Promise<ShownPlan> {
    const { requester, query, key } = asked;
    const { workspaceId } = requester;
    const body = [text, JSON.stringify(query)];
    const request = idempotentRequest({ workspaceId }, key, { route: `definition/${route}`, body });
    const options = { ...knownSettingsOf(this.config), isPruning };
    const work = async (tx: EntityManager): Promise<ShownPlan> => {
      const source = await find(tx);
      return isDry ? planIn(tx, asked, source, options) : applyIn(tx, asked, source, options);
    };
    const db = boundTo(this.dataSource.manager, requester);
    const isolation = isDry ? 'REPEATABLE READ' : 'READ COMMITTED';
    return this.places.use(requester, async () => {
      try {
        return await retried(() => db.transaction(isolation, (tx) => once(tx, request, () => work(tx))));
      } catch (error) {
        if (error instanceof DefinitionFaults) throw faultsRefused(error);
        throw error instanceof DefinitionRefused ? lossRefused(error, asked) : error;
      }
    });
  }
}

const VERSIONS_OF_PAGE = 20;
/** A number greater than the number of any version, for the first page. */
const AFTER_ALL = '1000000000';

/** The change that the body asks for. Retries of the transaction reuse the parsed body. */
function wantedBy(asked: AskedChange): Pick<Wanted, 'text' | 'isPruning' | 'find'> {
  let source: Promise<SourceDefinition> | undefined;
  return { text: asked.text, isPruning: asksFor(asked, 'prune'), find: () => (source ??= sourceOf(asked)) };
}

async function planIn(
  tx: EntityManager,
  asked: Asked,
  source: SourceDefinition,
  options: PlanOptions,
): Promise<ShownPlan> {
  const plan = await planWithin(tx, source, options);
  requireVersion(asked, plan.version);
  return showPlan(plan, asksFor(asked, 'allow-data-loss'));
}

async function applyIn(
  tx: EntityManager,
  asked: Asked,
  source: SourceDefinition,
  options: PlanOptions,
): Promise<ShownPlan> {
  const { workspaceId } = asked.requester;
  const allowsDataLoss = asksFor(asked, 'allow-data-loss');
  const { plan } = await applyUnfilled(tx, source, {
    ...options,
    allowsDataLoss,
    author: authorOf(asked),
    requestId: asked.requestId,
    onLocked: ({ id, version }) => {
      if (id !== workspaceId) throw notFound();
      requireVersion(asked, version);
    },
  });
  return { ...showPlan(plan, allowsDataLoss), version: plan.version + Number(plan.changes.length > 0) };
}

const asksFor = <Query extends object>({ query }: { query: Query }, name: keyof Query): boolean =>
  query[name] === 'true';

/**
 * Parses the body. If it names another workspace, throws `DefinitionFaults` without looking up that
 * workspace.
 */
async function sourceOf({ text, workspace: { slug } }: AskedChange): Promise<SourceDefinition> {
  const source = await inTurns(readingDefinition(text, 'the body'));
  const { faults, definition } = source;
  if (definition.workspace.id === slug) return source;
  const other = faultAt(definition.workspace, 'id', `must be the workspace of the key, ${slug}`);
  throw new DefinitionFaults(source.file, faults.length > 0 ? faults : [other]);
}

function requireVersion({ tags }: Asked, version: number): void {
  if (tags && !tags.includes(tagOf(version)))
    throw preconditionFailed(
      say`The definition in force is version ${version}: plan again with its new ETag.`,
    );
}

function authorOf({ requester: { keyId = '' }, keyName, query }: Asked): string {
  const key = `key ${keyName} (${keyId})`;
  return query.author === undefined ? key : `${key}: ${query.author}`;
}

function faultsRefused({ faults }: DefinitionFaults): InvalidFields {
  const errors = new FieldErrors();
  for (const { path, message } of faults) errors.add(path === '' ? 'base' : path, message);
  return new InvalidFields(errors.fields, { faults });
}

function lossRefused({ reasons, plan }: DefinitionRefused, asked: Asked): InvalidFields {
  return new InvalidFields([['base', reasons]], { plan: showPlan(plan, asksFor(asked, 'allow-data-loss')) });
}
