import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { namesOfEvents } from '../../events/event-names.js';
import { findEvent, type RecordedEvent } from '../../events/events.repository.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { readPayload } from '../../common/http/read-dto.js';
import { notFound } from '../../common/errors.js';
import { english } from '../../common/message.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { taskUrlOf } from '../../common/public-address.js';
import { findTaskId } from '../../tasks/store/task-keys.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { rulesIn } from './compiled-rules.js';
import { judgeEvent } from './judge-event.js';
import { type Explanation, ExplainPayload } from './rule.dto.js';

@Injectable()
export class RulesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Explains for each rule why it matched an event of the workflow, or why not. */
  async explain(scope: Scope, payload: JsonObject, key: string | undefined): Promise<Explanation[]> {
    const { value, errors } = readPayload(ExplainPayload, payload, 'an explanation');
    errors.throwIfAny();
    const request = idempotentRequest(scope, key, { route: 'rules/explain', body: payload });
    return this.work.transaction(scope, (tx, current) =>
      once(tx, request, () => this.explained(tx, current, value.event ?? '')),
    );
  }

  private async explained(db: EntityManager, scope: Scope, id: string): Promise<Explanation[]> {
    const { workflow, workspaceId } = scope;
    const event = await findEvent(db, workspaceId, id);
    if (event?.workflowId !== workflow.id || !(await isSeen(db, scope, event)))
      throw notFound('This workflow has no event with this id.');
    const workspace = await this.workspaces.get(workspaceId);
    const names = await namesOfEvents(db, workspace, taskUrlOf(this.config), [event]);
    const explained: Explanation[] = [];
    for (const rule of rulesIn(workflow)) {
      const { isMet, because } = await judgeEvent(rule, { db, event, workflow, names });
      explained.push({ rule: rule.definition.id, matched: isMet, because: english(because) });
    }
    return explained;
  }
}

async function isSeen(db: EntityManager, scope: Scope, { publicId }: RecordedEvent): Promise<boolean> {
  if (!scope.bound || scope.bound.permissions.sees === 'all' || publicId === null) return true;
  return (await findTaskId(db, scope, { publicId })) !== undefined;
}
