import { type RulePlace, ruleStatesOf } from '../rule-states.repository.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../config.js';
import { NoSecret, Secrets } from '../../../access/secrets.js';
import { anyType, Bodies } from '../../../common/http/bodies.js';
import { parseJson } from '../../../common/http/read-body.js';
import { notFound, Refusal } from '../../../common/errors.js';
import { say } from '../../../common/message.js';
import { isSameSecret, isSigned, keysOfSecret } from '../../../common/webhook-signature.js';
import { publicAddress } from '../../../common/public-address.js';
import { noElement } from '../../../workflows/model/not-found.js';
import { type Scope } from '../../../workflows/model/scope.js';
import { type RuleDefinition } from '../rule-definition.js';
import { rules } from '../rules.kind.js';
import { secretNameOf } from '../triggers/hook.js';
import { isStorable } from '../../../common/text.js';
import { findWorkflow, type Workflow, type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { type Hook } from '../rule.dto.js';
import { ruleOfToken, recordHook } from './hooks.repository.js';

const HOOK = 'hook';
const MAX_BODY_BYTES = 1_000_000;
/** For each rule, a process accepts at most this many requests with a valid proof in a minute. */
const MAX_RATE = 1000;
/** The longest `webhook-id`, in characters. */
const MAX_ID = 255;

@Injectable()
export class HooksService {
  private readonly rates = new RateLimiterMemory({ points: MAX_RATE, duration: 60 });

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly secrets: Secrets,
    private readonly bodies: Bodies,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Returns the URL of a rule with `on: hook`. Throws 404 for other rules. */
  async read({ workflow }: Scope, ruleId: string): Promise<Hook> {
    requireHook(workflow, ruleId);
    const { hookToken } = (await ruleStatesOf(this.dataSource.manager, workflow)).get(ruleId) ?? {};
    if (hookToken === undefined) throw notFound();
    return { url: `${publicAddress(this.config).replace(/\/$/, '')}/hooks/${hookToken}` };
  }

  /**
   * Stores the body of a hook request and records an event. Ignores the request if the rule got the
   * same `webhook-id` in the last 24 hours.
   */
  async receive(token: string, request: Request): Promise<void> {
    const { rule, workspace, definition } = await this.ruleOf(token);
    const secret = this.secretOf(workspace, definition);
    const proof = proofOf(request, secret);
    const holder = { workspaceId: rule.workspaceId, keyId: `${HOOK} ${rule.workflowId} ${rule.ruleId}` };
    const asked = Object.assign(request, { principal: holder });
    const body = await this.bodies.read(asked, MAX_BODY_BYTES, anyType);
    if (!proof(body)) throw unproved();
    // Requests count only after the proof, so that a sender without the secret cannot use up the limit.
    await this.admit(rule);
    parseJson(body);
    const requestId = request.res?.getHeader('X-Request-Id');
    await recordHook(this.dataSource.manager, {
      rule,
      webhookId: webhookIdOf(request),
      body: body.toString(),
      request: typeof requestId === 'string' ? requestId : undefined,
    });
  }

  private async ruleOf(token: string) {
    const rule = await ruleOfToken(this.dataSource.manager, token);
    if (!rule) throw unknown();
    const workspace = await this.workspaces.get(rule.workspaceId);
    const workflow = findWorkflow(workspace, rule.workflowId);
    const definition = workflow && hookRule(workflow, rule.ruleId);
    if (!workflow || !definition) throw unknown();
    return { rule, workspace, definition };
  }

  private async admit({ workspaceId, workflowId, ruleId }: RulePlace): Promise<void> {
    const said = say`A hook accepts ${MAX_RATE} requests in a minute.`;
    await this.rates.consume(`${workspaceId}/${workflowId}/${ruleId}`).catch(() => {
      throw new Refusal('too-many-requests', said, { 'Retry-After': '60' });
    });
  }

  /** The secret of a rule. Undefined if the secret is not set; every request is refused then. */
  private secretOf({ slug }: Workspace, definition: RuleDefinition): string | undefined {
    try {
      return this.secrets.value(slug, secretNameOf(definition));
    } catch (error) {
      if (error instanceof NoSecret) return undefined;
      throw error;
    }
  }
}

function requireHook(workflow: Workflow, ruleId: string): void {
  if (!hookRule(workflow, ruleId)) throw noElement(workflow, rules.name, rules.in(workflow), ruleId);
}

function hookRule(workflow: Workflow, ruleId: string): RuleDefinition | undefined {
  return rules.in(workflow).find(({ id, on }) => id === ruleId && on === HOOK);
}

/**
 * Returns a function that says, given the body, whether the sender knows the secret. Throws 401 if the secret
 * is not set, or if the request has neither the secret nor a signature.
 */
function proofOf({ headers }: Request, secret: string | undefined): (body: Buffer) => boolean {
  const given = headers['x-hook-secret'];
  if (secret === undefined) throw unproved();
  if (typeof given === 'string' && isSameSecret(given, secret)) return () => true;
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    throw unproved();
  return (body) => isSigned({ id, timestamp, signature }, body, keysOfSecret(secret));
}

function webhookIdOf({ headers }: Request): string | null {
  const id = headers['webhook-id'];
  if (typeof id !== 'string' || id === '') return null;
  if (id.length <= MAX_ID && isStorable(id)) return id;
  throw new Refusal('malformed', say`The webhook-id is longer than ${MAX_ID} characters.`);
}

const unknown = (): Refusal => notFound('There is no hook at this address.');

const unproved = (): Refusal =>
  new Refusal(
    'unauthenticated',
    'The secret of the hook is required: sign the request as in Standard Webhooks, or send the secret as X-Hook-Secret.',
    { 'WWW-Authenticate': 'Webhook' },
  );
