import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { namesOfEvents } from '../../events/event-names.js';
import { findEvent, type RecordedEvent } from '../../events/events.repository.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { readPayload } from '../../common/http/read-dto.js';
import { notFound } from '../../common/errors.js';
import { english } from '../../common/message.js';
import { type JsonObject, NumberLiteral } from '../../../packages/exact-json/json.js';
import { taskUrlOf } from '../../common/public-address.js';
import { findTaskId } from '../../tasks/store/task-keys.js';
import { noElement } from '../../workflows/model/not-found.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { rules } from './rules.kind.js';
import { type Rule, rulesIn } from './compiled-rules.js';
import { factOfJson } from '../../workflows/expressions/expression.js';
import { judgeEvent } from './judge-event.js';
import { type DryRun, DryRunPayload, type Explanation, ExplainPayload } from './rule.dto.js';
import { ruleStatesOf } from './rule-states.repository.js';
import { type RuleTrial, tryRule } from './try-rule.js';

@Injectable()
export class RulesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  private require({ workflow }: Scope, id: string): Rule {
    const rule = rulesIn(workflow).find(({ definition }) => definition.id === id);
    if (!rule) throw noElement(workflow, rules.name, rules.in(workflow), id);
    return rule;
  }

  /** Explains for each rule why it matched an event of the workflow, or why not. */
  async explain(scope: Scope, payload: JsonObject, key: string | undefined): Promise<Explanation[]> {
    const { value, errors } = readPayload(ExplainPayload, payload, 'an explanation');
    errors.throwIfAny();
    return this.once(scope, { route: 'rules/explain', body: payload }, key, async (db, current) => {
      const { workflow, workspaceId } = current;
      const event = await findEvent(db, workspaceId, value.event ?? '');
      if (event?.workflowId !== workflow.id || !(await isSeen(db, current, event)))
        throw notFound('This workflow has no event with this id.');
      const workspace = await this.workspaces.get(workspaceId);
      const names = await namesOfEvents(db, workspace, taskUrlOf(this.config), [event]);
      const explained: Explanation[] = [];
      for (const rule of rulesIn(workflow)) {
        const { isMet, because } = await judgeEvent(rule, { db, event, workflow, names });
        explained.push({ rule: rule.definition.id, matched: isMet, because: english(because) });
      }
      return explained;
    });
  }

  /** Shows what a rule would do with a task now, without doing it. */
  async dryRun(scope: Scope, id: string, payload: JsonObject, key: string | undefined): Promise<DryRun> {
    const { errors } = readPayload(DryRunPayload, payload, 'a dry run');
    const [given, body] = [payload.get('task_id') ?? undefined, payload.get('body')];
    const isOfHook = this.require(scope, id).definition.on === 'hook';
    if (body !== undefined && !isOfHook) errors.add('body', 'is only for rules on hook');
    if (given === undefined && (body === undefined || !isOfHook)) errors.add('task_id', 'is required');
    const uniqueId = given instanceof NumberLiteral ? given.text : given;
    const isName = uniqueId === undefined || typeof uniqueId === 'string';
    if (!isName) errors.add('task_id', 'is neither a text nor a number');
    errors.throwIfAny();
    const fact = body === undefined ? undefined : factOfJson(body);
    const asked = { route: 'rules/dry_run', path: [id], body: payload };
    const trial = { id, uniqueId: isName ? uniqueId : undefined, body: fact };
    return this.once(scope, asked, key, (db, current) => this.try(db, current, trial));
  }

  private async try(db: EntityManager, scope: Scope, { id, ...trial }: WantedTrial): Promise<DryRun> {
    const rule = this.require(scope, id);
    const state = (await ruleStatesOf(db, scope.workflow)).get(id);
    const workspace = await this.workspaces.get(scope.workspaceId);
    return tryRule(db, scope, { ...trial, rule, workspace, isPaused: state?.isPaused === true });
  }

  private async once<T>(
    scope: Scope,
    asked: { readonly route: string; readonly path?: readonly string[]; readonly body: JsonObject },
    key: string | undefined,
    work: (tx: EntityManager, scope: Scope) => Promise<T>,
  ): Promise<T> {
    const request = idempotentRequest(scope, key, asked);
    return this.work.transaction(scope, (tx, current) => once(tx, request, () => work(tx, current)));
  }
}

async function isSeen(db: EntityManager, scope: Scope, { publicId }: RecordedEvent): Promise<boolean> {
  if (!scope.bound || scope.bound.permissions.sees === 'all' || publicId === null) return true;
  return (await findTaskId(db, scope, { publicId })) !== undefined;
}

interface WantedTrial extends Pick<RuleTrial, 'uniqueId' | 'body'> {
  readonly id: string;
}
