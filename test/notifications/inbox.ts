import { createSignInLink } from '../../src/access/sessions.js';
import { UserEntity } from '../../src/workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { type Browser, cookieOf, fieldsOf, openBrowser } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';

export const tickets = '/api/v1/workflows/tickets/tasks';

/** Three people: Mina administers, Theo sees all, Ines what is assigned to her. */
export const acme = (more = '', slug = 'acme'): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test, first_name: Theo }
  - { email: ines@acme.test, first_name: Ines }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Close By, type: datetime }
    roles:
      - { id: all, name: All, admin: true }
      - { id: sees, name: Sees, actions: [busy, hand-over, break] }
      - { id: own, name: Own, sees: assigned, actions: [busy, break] }
    members:
      - { email: mina@acme.test, role: all }
      - { email: theo@acme.test, role: sees }
      - { email: ines@acme.test, role: own }
    actions:
      - { id: busy, name: Busy, steps: [{ name: Go, type: move_to_stage, stage: Busy }] }
      - { id: hand-over, name: Hand over, steps: [{ name: Give, type: assign, to: theo@acme.test }] }
      - id: break
        name: Break
        steps: [{ name: Break, type: update_fields, set: { Risk: { expression: 'task["Name"]' } } }]
${more}`;

export interface InboxSetting {
  readonly service: TestService;
  readonly slug: string;
  readonly workspaceId: number;
  readonly api: Client;
  /** By the part of the address in front of the `@`. */
  person(name: string): Promise<Person>;
}

/** Somebody with a browser in which they are signed in. */
export interface Person {
  readonly browser: Browser;
  /** The lines of their inbox as words, unread ones first marked by a star. */
  lines(): Promise<string[]>;
  count(): Promise<number>;
  /** Sends the form of the line whose task is called so. */
  does(task: string, fields: Readonly<Record<string, string>>): Promise<number>;
}

/** One service for a file; each call gives a workspace of its own, whose definition has `more`. */
export function inboxesOfFile(): (more?: string) => Promise<InboxSetting> {
  let service: TestService;
  let made = 0;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  return (more) => {
    const slug = `acme-${(made += 1)}`;
    return inboxOf(service, slug, acme(more, slug));
  };
}

async function inboxOf(service: TestService, slug: string, definition: string): Promise<InboxSetting> {
  await service.apply(definition);
  const { manager } = service.dataSource;
  const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug });
  return {
    ...{ service, slug, workspaceId },
    api: service.client(await service.key(slug)),
    async person(name) {
      const user = await manager.findOneByOrFail(UserEntity, { workspaceId, email: `${name}@acme.test` });
      const browser = openBrowser(service);
      const { headers } = await browser.post(`/sign-in/${await createSignInLink(manager, user)}`);
      browser.cookie = cookieOf(headers);
      return personOf(browser);
    },
  };
}

function personOf(browser: Browser): Person {
  return {
    browser,
    async lines() {
      const page = await browser.get('/inbox');
      return page.html.querySelectorAll('.notice-line').map((line) => {
        const star = line.classList.contains('unread') ? '* ' : '';
        const [title, what] = ['.row-title', '.row-next'].map((part) =>
          line.querySelector(part)?.text.trim(),
        );
        return `${star}${title ?? ''}: ${what?.replace(/\s+/g, ' ') ?? ''}`;
      });
    },
    async count() {
      return Number.parseInt((await browser.get('/account')).textOf('.unread-count .visually-hidden'));
    },
    async does(task, fields) {
      const { html } = await browser.get('/inbox');
      const lines = html.querySelectorAll('.notice-line');
      const line = lines.find((one) => one.querySelector('.row-title')?.text.trim() === task);
      return (await browser.post('/inbox', { ...fieldsOf(line, 'form input[type=hidden]'), ...fields }))
        .status;
    },
  };
}

/** Resolves when everything that has happened so far was followed. */
export const followed = ({ service }: InboxSetting): Promise<void> => service.settle();

/** The path of a task's page. */
export async function pageOf(api: Client, uniqueId: string): Promise<string> {
  const { body } = (await api.get(`${tickets}/${uniqueId}`).expect(200)) as { body: { 'Task URL': string } };
  return new URL(body['Task URL']).pathname;
}
