import request, { type Test } from 'supertest';
import { Webhook } from 'standardwebhooks';
import { type RulesSetting, rulesOfFile } from './rules.js';

export const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
export const rulePath = '/api/v1/workflows/tickets/rules/erp/hook';

/** A rule on hook: a flow mapping of YAML. */
export const erp = (more = ''): string =>
  `id: erp, on: hook, secret: ERP_HOOK, task: 'body["vendor"]["id"]', run: review${more}`;

/** One service for a file; each call gives a workspace whose tickets have this rule on hook, and perhaps others. */
export async function hooksOfFile(): Promise<
  (rule?: string, others?: readonly string[]) => Promise<HooksSetting>
> {
  const workspaces = Array.from({ length: 40 }, (_, n): [string, string] => [
    `WTS_SECRET_ACME_${n}__ERP_HOOK`,
    secret,
  ]);
  const start = await rulesOfFile({ PUBLIC_URL: 'https://wts.acme.test', ...Object.fromEntries(workspaces) });
  return async (rule = erp(), others = []) => {
    const setting = await start([rule, ...others]);
    const { body } = (await setting.admin.get(rulePath).expect(200)) as { body: { url: string } };
    return { ...setting, path: new URL(body.url).pathname };
  };
}

export interface HooksSetting extends RulesSetting {
  /** Where the rule is called. */
  readonly path: string;
}

/** Sends a body with the secret in a header. */
export function send({ service, path }: HooksSetting, body: unknown): Test {
  return request(service.url)
    .post(path)
    .set('X-Hook-Secret', secret)
    .send(body as object);
}

/** Sends a body as a sender of Standard Webhooks signs it. */
export function sendSigned(
  { service, path }: HooksSetting,
  body: string,
  { id = 'msg_1', at = new Date(Date.now()), key = secret } = {},
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
}

/** The runs once all is done, the first one first. */
export async function recordedRuns({ service, workspaceId, settle }: RulesSetting): Promise<RecordedRun[]> {
  await settle();
  return service.dataSource.query('SELECT * FROM runs WHERE workspace_id = $1 ORDER BY place', [workspaceId]);
}

/** How many hooks were received. */
export async function received({ service, workspaceId }: RulesSetting): Promise<number> {
  const [row] = await service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM events WHERE workspace_id = $1 AND type = 'hook.received'`,
    [workspaceId],
  );
  return row.count;
}
