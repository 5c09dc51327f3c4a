import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { CONFIG, type Config } from '../../config.js';
import { publicAddress } from '../../common/public-address.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { type ListKind } from '../../workflows/model/kind.js';
import { knownIn, knownTo } from '../../workflows/model/known.js';
import { noElement } from '../../workflows/model/not-found.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Identified, type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { Workspaces } from '../../workflows/model/workspaces.js';

@Injectable()
export class KindsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    private readonly doorbell: Doorbell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The elements of a kind in a workflow, in the order of the definition. */
  async list(scope: Scope, kind: Pick<ShownKind, 'show'>): Promise<readonly Identified[]> {
    return this.work.read(scope, async (db, current) => {
      await this.workspaces.assertInForce(current.workspaceId, current.workflow.version);
      return this.show(db, current, kind);
    });
  }

  /** Returns the element with this id. Throws 404 if there is none. */
  async read(scope: Scope, kind: ShownKind, id: string): Promise<Identified> {
    return elementOf(scope, kind, await this.list(scope, kind), id);
  }

  /** Runs an operation on an element. Returns the element, or undefined if the operation finishes later. */
  async operate(
    scope: Scope,
    kind: OperatedKind,
    { verb, id, key }: { readonly verb: string; readonly id: string; readonly key: string | undefined },
  ): Promise<Identified | undefined> {
    const operation = operationOf(kind, verb);
    const asked = { route: `${kind.list}/${verb}`, path: [id], body: new Map() };
    const request = idempotentRequest(scope, key, asked);
    let work: ReturnType<NonNullable<KindOperation['rings']>> | undefined;
    const { shown } = await this.work.transaction(scope, (tx, current) =>
      once(tx, request, async () => {
        const spec = specOf(current, kind, id);
        await operation.run(tx, spec, current);
        work = operation.rings?.(spec, current);
        if (operation.later !== undefined) return {};
        return { shown: elementOf(current, kind, await this.show(tx, current, kind), id) };
      }),
    );
    if (work) this.doorbell.ring(...work);
    return shown;
  }

  private async show(
    db: EntityManager,
    scope: Scope,
    kind: Pick<ShownKind, 'show'>,
  ): Promise<readonly Identified[]> {
    const workspace = await this.workspaces.get(scope.workspaceId);
    return kind.show(db, scope, knownIn(knownTo(workspace, scope.viewer)), publicAddress(this.config));
  }
}

type OperatedKind = Pick<ShownKind, 'name' | 'list' | 'in' | 'show' | 'operations'>;

/** Returns the element with this id in the definition. Throws 404 if there is none. */
export const specOf = <Spec extends Identified>(
  scope: Scope,
  kind: Pick<ListKind<Spec, 'workflow'>, 'name' | 'in'>,
  id: string,
): Spec => elementOf(scope, kind, kind.in(scope.workflow), id);

function elementOf<One extends Identified>(
  { workflow }: Pick<Scope, 'workflow'>,
  { name }: Pick<ShownKind, 'name'>,
  all: readonly One[],
  id: string,
): One {
  const found = all.find((one) => one.id === id);
  if (!found) throw noElement(workflow, name, all, id);
  return found;
}

function operationOf({ name, operations }: OperatedKind, verb: string): KindOperation {
  const operation = operations[verb];
  if (!operation) throw new Error(`a ${name} cannot be asked to ${verb}`);
  return operation;
}
