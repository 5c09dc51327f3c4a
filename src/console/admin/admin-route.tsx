import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { faultsOf } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { keyOfForm } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { faultsOfForm, type Notice } from '../parts/notices.js';
import { type PageExtras, type FormFaults, FormPage, listPage, thingPage } from './admin-frame.js';
import { type AdminForm, type AdminOperation, type AdminPage, type AdminRequest, adminPath, type AdminThing } from './admin-page.js'; // prettier-ignore

/** Answers a request for a page of the administration. `key` is the rest of the path after the page's own. */
export class AdminRoute {
  constructor(
    private readonly page: AdminPage,
    private readonly asked: AdminRequest,
    private readonly note: (act: string, of: string) => void,
  ) {}

  async get(key: readonly string[]): Promise<Reply> {
    const { page, asked } = this;
    const answer = await page.answer?.(key.join('/'), asked);
    if (answer) return answer;
    const isNew = key.join('/') === 'new' || asked.query.has('new');
    if (key.length === 0 && !isNew) return this.show(key, undefined);
    const thing = await this.open(key);
    if (thing?.page) return this.show(key, thing);
    const at = isNew ? [] : key;
    const { operation } = await this.operationAt(at);
    if (!operation || !operation.form) throw notFound();
    return this.formReply(operation.form, at);
  }

  /** Redirects to a page with the result, or shows a refused form again. */
  async post(key: readonly string[], form: URLSearchParams): Promise<Reply> {
    const { name, operation, thing } = await this.operationAt(key);
    if (operation === undefined) throw notFound();
    const here = key.slice(0, -1);
    if (!operation) return this.show(here, thing, refused(409, ['This is not possible now.']));
    try {
      const done = (await operation.run({ form, key: keyOfForm(form) })) ?? {};
      const { key: next = here, secret, count } = done;
      this.note(`${name}-${this.page.one}`, (thing ? here : next).join('/'));
      if (secret) return await this.show(next, await this.open(next), { secret });
      const query = new URLSearchParams({ done: name, ...(count !== undefined && { count: String(count) }) });
      return seeOther(`${this.pathOf(next)}?${query.toString()}`);
    } catch (error) {
      if (!operation.form) return this.show(here, thing, refusalBy(error));
      return this.formReply({ ...operation.form, values: form }, key, faultsOfForm(error, ['conflict']));
    }
  }

  private async open(key: readonly string[]): Promise<AdminThing | undefined> {
    const { page, asked } = this;
    if (key.length !== (page.keyLength ?? 1)) return undefined;
    return page.open?.(key, { ...asked, path: this.pathOf(key) });
  }

  /** The operation of the list, or of the thing that the path begins with. */
  private async operationAt(key: readonly string[]): Promise<FoundOperation> {
    const { page, asked } = this;
    const name = key.at(-1);
    if (name === undefined) return { name: 'make', operation: page.create?.(asked) };
    const thing = await this.open(key.slice(0, -1));
    return { name, thing, operation: named(thing?.operations, name) };
  }

  /** The page of a thing, or the list that stands for it. */
  private async show(key: readonly string[], thing: AdminThing | undefined, given: PageExtras = {}) {
    const { page, asked } = this;
    const beside = { notice: this.doneNotice(), ...given };
    const shown = thing?.page
      ? thingPage(page, { ...asked, path: this.pathOf(key) }, { ...thing, page: thing.page }, beside)
      : listPage(page, asked, beside);
    return pageReply(await shown, { status: beside.status ?? 200 });
  }

  private formReply(form: AdminForm, key: readonly string[], faults: FormFaults = []): Reply {
    const { page, asked } = this;
    const above = { href: asked.path, name: page.title };
    const shown = <FormPage form={form} faults={faults} above={above} action={this.pathOf(key)} />;
    return pageReply(shown, { status: faults.length > 0 ? 422 : 200 });
  }

  private doneNotice(): Notice | undefined {
    const { query } = this.asked;
    const text = named(this.page.done, query.get('done') ?? '');
    if (text === undefined) return undefined;
    const count = Number(query.get('count')?.slice(0, 9)) || 0;
    return { tone: 'good', lines: [typeof text === 'string' ? text : text(count)] };
  }

  private pathOf(key: readonly string[]): string {
    return adminPath(this.page.path, ...key);
  }
}

interface FoundOperation {
  readonly name: string;
  /** False if the thing does not allow it now; undefined if there is none. */
  readonly operation: AdminOperation | false | undefined;
  readonly thing?: AdminThing | undefined;
}

const named = <Of,>(all: Readonly<Record<string, Of>> = {}, name: string): Of | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

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
