import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { headerText, startMailServer, type TakenLetter } from '../messages/mail-server.js';
import { startService } from '../support/service.js';

export type Task = Readonly<Record<string, unknown>>;

/** What an execution came to, or the refusal of one. */
export type Outcome = Readonly<Record<string, unknown>>;

/** A clock of a task, as far as these tests look at it. */
interface ShownClock {
  readonly id: string;
  readonly state: string;
  readonly due_at: string | null;
}

/** A letter that the steps of an action have sent: `lea@desk.test: Complaint 1 is late`. */
export interface Sent {
  readonly line: string;
  readonly raw: string;
}

/** Starts the service at a time, with an example of docs/examples that is applied unchanged, and its people's mail. */
export async function startExample(name: string, time: string) {
  const mails = await startMailServer();
  const service = await startService({
    WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
    WTS_MAIL_FROM: 'Office <office@wts.test>',
  });
  await service.settle({ at: time, kind: 'none' });
  const api = await service.clientOf(
    readFileSync(join(resolve(import.meta.dirname, '../../docs/examples'), name), 'utf8'),
  );
  const at = (workflow: string, path = ''): string => `/api/v1/workflows/${workflow}/tasks${path}`;
  let seen = 0;
  async function sent(at?: string): Promise<Sent[]> {
    await service.settle(at === undefined ? {} : { at });
    const letters = mails.letters.slice(seen);
    seen = mails.letters.length;
    return letters.filter(isOfStep).map(shown);
  }
  return {
    ...{ service, api, at },
    /** Lets follow all that follows, and says which letters were sent since. */
    sent: () => sent(),
    /** The same once it is this time. */
    sentBy: (time: string) => sent(time),
    /** Creates a task, and says its Unique ID. */
    async create(workflow: string, payload: object): Promise<string> {
      const { body } = await api.post(at(workflow), payload).expect(201);
      return uniqueIdOf(body as Task);
    },
    task: (workflow: string, id: string) => api.read<Task>(at(workflow, `/${id}`)),
    /** Changes a task, and says what it was refused with. */
    async change(workflow: string, id: string, payload: object): Promise<unknown> {
      const name = uniqueIdFields[workflow] ?? '';
      const { body } = await api.put(at(workflow), { [name]: id, ...payload });
      return (body as { errors?: unknown }).errors;
    },
    /** Starts an action, and waits for its end. */
    async act(workflow: string, task_id: string, action_id: string, performed_by: string, fields?: object) {
      const { body } = await api
        .post(`/api/v1/workflows/${workflow}/executions`, { task_id, action_id, performed_by, fields })
        .set('Prefer', 'wait=20');
      return body as Outcome;
    },
    async clock(workflow: string, id: string, clock: string) {
      await service.settle({ kind: 'follow' });
      const clocks = await api.read<ShownClock[]>(at(workflow, `/${id}/clocks`));
      return clocks.find((each) => each.id === clock);
    },
    async comments(workflow: string, id: string) {
      const comments = await api.read<Comment[]>(at(workflow, `/${id}/comments`));
      return comments.map((comment) => `${comment.author}: ${comment.body}`);
    },
    /** What rules and clocks have started or not, the oldest first: `all-done unavailable A department is not done`. */
    async runs(workflow: string, id: string) {
      await service.settle({ kind: 'follow' });
      const runs = await api.read<Run[]>(at(workflow, `/${id}/runs`));
      return runs.map(({ by, result, because }) => `${by.id} ${result} ${because}`).reverse();
    },
    async stop() {
      await service.stop();
      await mails.stop();
    },
  };
}

interface Comment {
  readonly author: string;
  readonly body: string;
}

interface Run {
  readonly by: { readonly id: string };
  readonly result: string;
  readonly because: string;
}

const uniqueIdFields: Readonly<Record<string, string>> = {
  complaints: 'Number',
  starters: 'Starter ID',
  jobs: 'Job ID',
};

const uniqueIdOf = (task: Task): string =>
  String(Object.entries(task).find(([name]) => Object.values(uniqueIdFields).includes(name))?.[1]);

/** Not what people are notified of, which is mailed, too. */
const isOfStep = ({ headers }: TakenLetter): boolean =>
  headers.get('message-id')?.startsWith('<notification.') === false;

const shown = ({ to, headers, raw }: TakenLetter): Sent => ({
  line: `${to}: ${headerText(headers.get('subject'))}`,
  raw,
});
