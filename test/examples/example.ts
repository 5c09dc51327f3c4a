import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { headerText, startMailServer, type TakenLetter } from '../messages/mail-server.js';
import { type Client, startService, type TestService } from '../support/service.js';

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

/** An example of docs/examples that is applied unchanged, its people's mail, and the clock that it goes by. */
export interface Example {
  readonly service: TestService;
  readonly api: Client;
  /** Where a workflow is. */
  at(workflow: string, path?: string): string;
  /** Creates a task, and says its Unique ID. */
  create(workflow: string, payload: object): Promise<string>;
  task(workflow: string, id: string): Promise<Task>;
  /** Changes a task, and says what it was refused with. */
  change(workflow: string, id: string, payload: object): Promise<unknown>;
  /** Starts an action, and waits for its end. */
  act(workflow: string, id: string, action: string, by: string, fields?: object): Promise<Outcome>;
  clock(workflow: string, id: string, clock: string): Promise<ShownClock | undefined>;
  comments(workflow: string, id: string): Promise<string[]>;
  /** What rules and clocks have started or not, the oldest first: `all-done unavailable A department is not done`. */
  runs(workflow: string, id: string): Promise<string[]>;
  /** Lets it be this time, lets follow all that follows, and says which letters were sent since it was asked last. */
  sentBy(time: string): Promise<Sent[]>;
  /** Lets follow all that follows, and says which letters were sent since. */
  sent(): Promise<Sent[]>;
  stop(): Promise<void>;
}

/** Starts the service at a time, and applies the example. */
export async function startExample(name: string, time: string): Promise<Example> {
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
    sent: () => sent(),
    sentBy: (time) => sent(time),
    async create(workflow, payload) {
      const { body } = await api.post(at(workflow), payload).expect(201);
      return uniqueIdOf(body as Task);
    },
    task: async (workflow, id) => (await api.get(at(workflow, `/${id}`)).expect(200)).body as Task,
    async change(workflow, id, payload) {
      const name = uniqueIdFields[workflow] ?? '';
      const { body } = await api.put(at(workflow), { [name]: id, ...payload });
      return (body as { errors?: unknown }).errors;
    },
    async act(workflow, task_id, action_id, performed_by, fields) {
      const { body } = await api
        .post(`/api/v1/workflows/${workflow}/executions`, { task_id, action_id, performed_by, fields })
        .set('Prefer', 'wait=20');
      return body as Outcome;
    },
    async clock(workflow, id, clock) {
      await service.settle({ kind: 'follow' });
      const { body } = await api.get(at(workflow, `/${id}/clocks`)).expect(200);
      return (body as ShownClock[]).find((each) => each.id === clock);
    },
    async comments(workflow, id) {
      const { body } = await api.get(at(workflow, `/${id}/comments`)).expect(200);
      return (body as Comment[]).map((comment) => `${comment.author}: ${comment.body}`);
    },
    async runs(workflow, id) {
      await service.settle({ kind: 'follow' });
      const { body } = await api.get(at(workflow, `/${id}/runs`)).expect(200);
      return (body as Run[]).map(({ by, result, because }) => `${by.id} ${result} ${because}`).reverse();
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
