import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { faultsOf, type InvalidFields } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { keyOfForm } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { faultsOfForm, type Notice } from '../parts/notices.js';
import { type PageExtras, listPage, NewThingPage, thingPage } from './admin-frame.js';
import { type AdminCreation, type AdminPage, type AdminRequest, adminPath, type AdminThing } from './admin-page.js'; // prettier-ignore

/** Answers a request for a page of the administration. `key` is the rest of the path after the page's own. */
export class AdminRoute {
  constructor(
    private readonly page: AdminPage,
    private readonly asked: AdminRequest,
    private readonly note: (act: string, of: string) => void,
  ) {}

  async get(key: readonly string[]): Promise<Reply> {
    const { asked, page } = this;
    const create = key.length === 0 && asked.query.has('new') ? page.create?.(asked) : undefined;
    if (create) return this.formReply(create);
    const thing = await this.open(key);
    if (key.length > 0 && !thing?.page) throw notFound();
    const notice: Notice | undefined = asked.query.has('done')
      ? { tone: 'good', lines: ['Done.'] }
      : undefined;
    return this.show(key, thing, { notice });
  }

  /** Redirects to a page with the result, or shows a refused form again. */
  async post(key: readonly string[], form: URLSearchParams): Promise<Reply> {
    const create = key.length === 0 ? this.page.create?.(this.asked) : undefined;
    const here = key.slice(0, -1);
    const thing = await this.open(here);
    const name = key.at(-1) ?? 'make';
    const operation = create ?? new Map(Object.entries(thing?.operations ?? {})).get(name);
    if (operation === undefined) throw notFound();
    if (!operation) return this.show(here, thing, refused(409, ['This is not possible now.']));
    try {
      const { key: next = here, secret } = (await operation.run({ form, key: keyOfForm(form) })) ?? {};
      this.note(`${name}-${this.page.one}`, (thing ? here : next).join('/'));
      if (secret) return await this.show(next, await this.open(next), { secret });
      return seeOther(`${this.pathOf(next)}?done`);
    } catch (error) {
      if (!create) return this.show(here, thing, refusalBy(error));
      return this.formReply(create, faultsOfForm(error, ['conflict']), form);
    }
  }

  private async open(key: readonly string[]): Promise<AdminThing | undefined> {
    const { page, asked } = this;
    if (key.length !== (page.keyLength ?? 1)) return undefined;
    return page.open(key, { ...asked, path: this.pathOf(key) });
  }

  /** The page of a thing, or the list that stands for it. */
  private async show(key: readonly string[], thing: AdminThing | undefined, extras: PageExtras) {
    const { page, asked } = this;
    const shown = thing?.page
      ? thingPage(page, { ...asked, path: this.pathOf(key) }, { ...thing, page: thing.page }, extras)
      : listPage(page, asked, extras);
    return pageReply(await shown, { status: extras.status ?? 200 });
  }

  private formReply(
    create: AdminCreation,
    faults: InvalidFields['fields'] = [],
    sent = new URLSearchParams(),
  ): Reply {
    const shown = { page: this.page, path: this.asked.path, create, faults, sent };
    return pageReply(<NewThingPage {...shown} />, { status: faults.length > 0 ? 422 : 200 });
  }

  private pathOf(key: readonly string[]): string {
    return adminPath(this.page.path, ...key);
  }
}

const refused = (status: number, lines: readonly Message[]): PageExtras => ({
  status,
  notice: { tone: 'bad', lines },
});

/** The notice about a refused operation; throws other errors on. */
function refusalBy(error: unknown): PageExtras {
  if (error instanceof Refusal && error.kind === 'conflict') return refused(409, [error.said]);
  if (!(error instanceof RefusedExecution)) return refused(422, faultsOf(error));
  return refused(422, ['The action was not started:', ...error.errors]);
}
