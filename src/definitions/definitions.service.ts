import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { namesOfKeys } from '../auth/api-keys.js';
import { CONFIG, type Config } from '../config.js';
import { boundTo, type Requester } from '../database/sql.js';
import { idempotentRequest, once } from '../http/idempotency.js';
import { busy, notFound, preconditionFailed } from '../lib/errors.js';
import { FieldErrors, InvalidFields } from '../lib/field-errors.js';
import { say } from '../lib/message.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { type Workspace } from '../workspace/workspace.js';
import { loadWorkspaceRows, storedDefinition } from '../workspace/workspace-rows.js';
import { applyUnfilled, retried } from './apply-definition.js';
import { type ChangeQuery } from './definition.dto.js';
import { type Plan } from './draft.js';
import { DefinitionRefused } from './impact/effect.js';
import { knownSettingsOf, planWithin, type PlanOptions } from './plan-definition.js';
import { showPlan, type ShownPlan } from './show-plan.js';
import { DefinitionFaults, faultAt } from './source/faults.js';
import { readDefinition, type SourceDefinition } from './source/read-definition.js';
import { exportDefinition } from './source/write-yaml.js';

/** A POST that brings a definition. */
export interface AskedChange {
  readonly requester: Requester;
  readonly workspace: Workspace;
  readonly text: string;
  readonly query: ChangeQuery;
  /** The entity tags of which the definition in force must have one; undefined where it may be any. */
  readonly tags: readonly string[] | undefined;
  /** Its Idempotency-Key. */
  readonly key: string | undefined;
}

/** What a request does with a definition, in a transaction of its own. */
type Change = (tx: EntityManager, source: SourceDefinition, options: PlanOptions) => Promise<ShownPlan>;

/** The entity tag of a version of the definition. */
export const tagOf = ({ version }: { readonly version: number }): string => `"${version}"`;

/** Definitions that keys of scope `admin` read, plan and apply: what the command line does, until the request's deadline. */
@Injectable()
export class DefinitionsService {
  /** One for each workspace, whose others would only wait with a connection for the lock that it holds. */
  private readonly places = new FairSemaphore(2, busy('Another definition is being planned or applied.'), {
    ofKey: 1,
    ofWorkspace: 1,
  });

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The definition in force, in one snapshot. */
  async read(requester: Requester): Promise<{ readonly version: number; readonly document: JsonMapping }> {
    const db = boundTo(this.dataSource.manager, requester);
    return db.transaction('REPEATABLE READ', async (snapshot) => {
      const rows = await loadWorkspaceRows(snapshot, requester.workspaceId);
      if (!rows) throw notFound();
      return { version: rows.workspace.version, document: exportDefinition(storedDefinition(rows)) };
    });
  }

  async plan(asked: AskedChange): Promise<ShownPlan> {
    return this.change(asked, 'plan', async (tx, source, options) => {
      const plan = await planWithin(tx, source, options);
      requireVersion(asked, plan.version);
      return showPlan(plan, asksFor(asked, 'allow-data-loss'));
    });
  }

  /** Applies it, and says what that did and which version is in force now. */
  async apply(asked: AskedChange): Promise<ShownPlan> {
    return this.change(asked, 'apply', async (tx, source, options) => {
      const { workspaceId } = asked.requester;
      const plans: Plan[] = [];
      const allowsDataLoss = asksFor(asked, 'allow-data-loss');
      const applied = applyUnfilled(tx, source, {
        ...options,
        allowsDataLoss,
        firesOverdue: asksFor(asked, 'fire-overdue'),
        author: await authorOf(tx, asked.requester),
        onLocked: ({ id, version }) => {
          if (id !== workspaceId) throw notFound();
          requireVersion(asked, version);
        },
        onPlan: (plan) => plans.push(plan),
      });
      const { changes } = await applied.catch((error: unknown) => {
        throw error instanceof DefinitionRefused ? lossRefused(error, plans, allowsDataLoss) : error;
      });
      const [plan] = plans;
      if (!plan) throw new Error('an apply had no plan');
      return { ...showPlan(plan, allowsDataLoss), version: plan.version + Number(changes.length > 0) };
    });
  }

  /** One attempt after another, each in a transaction that begins anew. */
  private async change(asked: AskedChange, route: 'plan' | 'apply', work: Change): Promise<ShownPlan> {
    const { requester, text, query, key } = asked;
    const scope = { workspaceId: requester.workspaceId, workflow: { slug: '' } };
    const body = [text, JSON.stringify(query)];
    const request = idempotentRequest(scope, key, { route: `definition/${route}`, body });
    const options = { ...knownSettingsOf(this.config), isPruning: asksFor(asked, 'prune') };
    const db = boundTo(this.dataSource.manager, requester);
    const isolation = route === 'plan' ? 'REPEATABLE READ' : 'READ COMMITTED';
    return this.places.use(requester, async () => {
      try {
        const source = sourceOf(asked);
        return await retried(() =>
          db.transaction(isolation, (tx) => once(tx, request, () => work(tx, source, options))),
        );
      } catch (error) {
        throw error instanceof DefinitionFaults ? faultsRefused(error) : error;
      }
    });
  }
}

const asksFor = ({ query }: AskedChange, name: keyof ChangeQuery): boolean => query[name] === 'true';

/** What a body says of the key's own workspace; throws `DefinitionFaults` where it is of another, of which it tells nothing. */
function sourceOf({ text, workspace: { slug } }: AskedChange): SourceDefinition {
  const source = readDefinition(text, 'the body');
  const { faults, definition } = source;
  if (definition.workspace.id === slug) return source;
  const other = faultAt(
    definition.workspace,
    'id',
    `is another workspace than that of the key, which is ${slug}`,
  );
  throw new DefinitionFaults(source.file, faults.length > 0 ? faults : [other]);
}

function requireVersion({ tags }: AskedChange, version: number): void {
  if (tags && !tags.includes(tagOf({ version })))
    throw preconditionFailed(
      say`The definition in force is version ${version}: plan again, by its new ETag.`,
    );
}

async function authorOf(tx: EntityManager, { workspaceId, keyId = '' }: Requester): Promise<string> {
  const names = await namesOfKeys(tx, workspaceId, new Set([keyId]));
  return `key ${names.get(keyId) ?? ''} (${keyId})`;
}

function faultsRefused({ faults }: DefinitionFaults): InvalidFields {
  const errors = new FieldErrors();
  for (const { path, message } of faults) errors.add(path === '' ? 'base' : path, message);
  return new InvalidFields(errors.fields, { faults });
}

function lossRefused(
  { reasons }: DefinitionRefused,
  plans: readonly Plan[],
  allowsDataLoss: boolean,
): InvalidFields {
  const [plan] = plans;
  return new InvalidFields([['base', reasons]], plan && { plan: showPlan(plan, allowsDataLoss) });
}
