import request, { type Test } from 'supertest';
import { Webhook } from 'standardwebhooks';
import { type RulesSetting, startRules } from './rules.js';
import { until } from '../support/until.js';

export const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
export const rulePath = '/api/v1/workflows/tickets/rules/erp/hook';

/** A rule on hook: a flow mapping of YAML. */
export const erp = (more = ''): string =>
  `id: erp, on: hook, secret: ERP_HOOK, task: 'body["vendor"]["id"]', run: review${more}`;

/** A service whose tickets have this rule on hook, and perhaps others. */
export async function startHooks(
  rule = erp(),
  others: readonly string[] = [],
  environment = {},
): Promise<HooksSetting> {
  const setting = await startRules([rule, ...others], {
    WTS_SECRET_ACME__ERP_HOOK: secret,
    PUBLIC_URL: 'https://wts.acme.test',
    ...environment,
  });
  const { body } = (await setting.admin.get(rulePath).expect(200)) as { body: { url: string } };
  return { ...setting, path: new URL(body.url).pathname };
}

export interface HooksSetting extends RulesSetting {
  /** Where the rule is called. */
  readonly path: string;
}

/** Sends a body with the secret in a header. */
export function send({ service, path }: HooksSetting, body: unknown, to = path): Test {
  return request(service.url)
    .post(to)
    .set('X-Hook-Secret', secret)
    .send(body as object);
}

/** Sends a body as a sender of Standard Webhooks signs it. */
export function sendSigned(
  { service, path }: HooksSetting,
  body: string,
  { id = 'msg_1', at = new Date(), key = secret } = {},
): Test {
  return request(service.url)
    .post(path)
    .set('Content-Type', 'application/json')
    .set('webhook-id', id)
    .set('webhook-timestamp', String(Math.floor(at.getTime() / 1000)))
    .set('webhook-signature', new Webhook(key).sign(id, at, body))
    .send(body);
}

export interface RecordedRun {
  readonly starter_id: string;
  readonly result: string;
  readonly because: string;
  readonly unique_value: string | null;
  readonly cause: { readonly chain: readonly { readonly rule: string }[] };
}

/** The runs so far, the first one first. */
export async function recordedRuns({ service }: RulesSetting): Promise<RecordedRun[]> {
  return service.dataSource.query('SELECT * FROM runs ORDER BY place');
}

/** Waits for so many runs. */
export async function runsCome(setting: RulesSetting, count: number): Promise<RecordedRun[]> {
  await until(`${count} runs`, async () => (await recordedRuns(setting)).length >= count);
  return recordedRuns(setting);
}

/** How many hooks were received. */
export async function received({ service }: RulesSetting): Promise<number> {
  const [row] = await service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM events WHERE type = 'hook.received'`,
  );
  return row.count;
}
