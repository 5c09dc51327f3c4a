import { createLogger } from '../../src/common/logger.js';
import { startReceiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { startMailServer } from './mail-server.js';
import { testOptions } from '../support/test-options.js';

export const cases = '/api/v1/workflows/cases/tasks';
export const executions = '/api/v1/workflows/cases/executions';

/** Ten people, of whom those of the role `leads` are the first nine, and the ninth has left. */
const people = Array.from({ length: 10 }, (_, at) => `p${at}@acme.test`);

/** Cases whose actions have these steps, and channels that lead to this address. */
function definition(url: string, actions: Readonly<Record<string, readonly object[]>>): string {
  return JSON.stringify({
    workspace: { id: 'acme', name: 'Acme' },
    users: people.map((email, at) => ({ email, active: at !== 8 })),
    workflows: [
      {
        id: 'cases',
        name: 'Cases',
        stages: [{ name: 'New' }, { name: 'Done', end: true }],
        fields: [
          { name: 'ID', type: 'uniqueId', required: true },
          { name: 'Title', type: 'text' },
          { name: 'Note', type: 'longText' },
          { name: 'Owner', type: 'person' },
          { name: 'Contact', type: 'email' },
          { name: 'Count', type: 'number', max: 5 },
          { name: 'Papers', type: 'file' },
          { name: 'Photos', type: 'file' },
        ],
        roles: [
          { id: 'leads', name: 'Leads', admin: true },
          { id: 'nobody', name: 'Nobody' },
        ],
        members: people.slice(0, 9).map((email) => ({ email, role: 'leads' })),
        actions: Object.entries(actions).map(([id, steps]) => ({
          id,
          name: `Do ${id}`,
          steps: steps.map((step, at) => ({ name: `Step ${at}`, ...step })),
        })),
      },
    ],
    channels: ['slack', 'teams', 'webhook'].map((type) => ({
      id: `to-${type}`,
      type,
      url: `${url}/${type}/{{secret.CHANNEL}}`,
    })),
  });
}

export const mail = (further: object = {}): object => ({
  type: 'send_email',
  to: { field: 'Contact' },
  subject: 'Case {{ID}}: {{Title}}',
  body: '# About {{Title}}\n\nSee [**{{ID}}**]({{Task URL}}):\n\n- {{Note}}\n- [site]({{Title}})',
  ...further,
});

export const post = (channel: string): object => ({
  type: 'post_message',
  channel,
  text: 'Case *{{ID}}*: {{Title}}',
});

/** A message as the API lists it. */
interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly subject: string | null;
  readonly state: string;
  readonly cause: string | null;
  readonly tries: number;
  readonly task: { readonly unique_id: string; readonly url: string };
}

/** A service that can send, whom it sends to, and clients of it. */
export async function startSending(actions: Readonly<Record<string, readonly object[]>>) {
  const lines: string[] = [];
  const [mails, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  const service = await startService(
    {
      WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WTS_MAIL_FROM: 'Acme <wts@acme.test>',
      ...testOptions({ messageDelaysMs: [0, 60_000, 60_000] }),
      WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
      WTS_SECRET_ACME__CHANNEL: 'planted-secret',
    },
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  await service.apply(definition(receiver.url, actions));
  const [api, admin] = [
    service.client(await service.key('acme')),
    service.client(await service.key('acme', 'admin')),
  ];
  const messages = async (ID: string): Promise<readonly Listed[]> => {
    const all = await admin.read<readonly Listed[]>('/api/v1/messages');
    return all.filter(({ task }) => task.unique_id === ID);
  };
  return {
    ...{ service, mails, receiver, api, admin, lines, messages },
    /** Creates a case and does the action on it. */
    async perform(action: string, ID: string, values: object = {}) {
      await api.post(cases, { ID, ...values }).expect(201);
      const started = await api.post(executions, { task_id: ID, action_id: action }).set('Prefer', 'wait=25');
      const { status, errors } = started.body as { status: string; errors?: string[] };
      return { status, ...(errors && { errors }) };
    },
    /** The messages about a case when all that is due was sent, now or so many milliseconds later. */
    async ended(ID: string, after = 0): Promise<readonly Listed[]> {
      await service.settle({ after });
      return messages(ID);
    },
    async stop() {
      await service.stop();
      await mails.stop();
      receiver.stop();
    },
  };
}
