import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { faultsOf } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { capitalized, pastOf } from '../../common/wording.js';
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
    const { asked } = this;
    const isNew = asked.query.has('new');
    const thing = await this.open(key);
    const done: PageExtras = { notice: doneNotice(asked.query.get('done')) };
    if (thing?.page || (key.length === 0 && !isNew)) return this.show(key, thing, done);
    const { operation } = await this.operationAt(isNew ? [] : key);
    if (!operation || !operation.form) throw notFound();
    return this.formReply({ ...operation, form: operation.form }, key);
  }

  /** Redirects to a page with the result, or shows a refused form again. */
  async post(key: readonly string[], form: URLSearchParams): Promise<Reply> {
    const { name, operation, thing } = await this.operationAt(key);
    if (operation === undefined) throw notFound();
    const here = key.slice(0, -1);
    if (!operation) return this.show(here, thing, refused(409, ['This is not possible now.']));
    try {
      const { key: next = here, secret } = (await operation.run({ form, key: keyOfForm(form) })) ?? {};
      this.note(`${name}-${this.page.one}`, (thing ? here : next).join('/'));
      if (secret) return await this.show(next, await this.open(next), { secret });
      const [verb = ''] = operation.title.toLowerCase().split(' ');
      return seeOther(`${this.pathOf(next)}?done=${verb}`);
    } catch (error) {
      if (!operation.form) return this.show(here, thing, refusalBy(error));
      const again = { title: operation.title, form: { ...operation.form, values: form } };
      return this.formReply(again, key, faultsOfForm(error, ['conflict']));
    }
  }

  private async open(key: readonly string[]): Promise<AdminThing | undefined> {
    const { page, asked } = this;
    if (key.length !== (page.keyLength ?? 1)) return undefined;
    return page.open(key, { ...asked, path: this.pathOf(key) });
  }

  /** The operation of the list, or of the thing that the path begins with. */
  private async operationAt(key: readonly string[]): Promise<FoundOperation> {
    const { page, asked } = this;
    const name = key.at(-1);
    if (name === undefined) return { name: 'make', operation: page.create?.(asked) };
    const thing = await this.open(key.slice(0, -1));
    const operations = new Map(Object.entries(thing?.operations ?? {}));
    return { name, thing, operation: operations.get(name) };
  }

  /** The page of a thing, or the list that stands for it. */
  private async show(key: readonly string[], thing: AdminThing | undefined, extras: PageExtras) {
    const { page, asked } = this;
    const shown = thing?.page
      ? thingPage(page, { ...asked, path: this.pathOf(key) }, { ...thing, page: thing.page }, extras)
      : listPage(page, asked, extras);
    return pageReply(await shown, { status: extras.status ?? 200 });
  }

  private formReply(of: FilledForm, key: readonly string[], faults: FormFaults = []): Reply {
    const { page, asked } = this;
    const above = { href: asked.path, name: page.title };
    const shown = <FormPage {...of} faults={faults} above={above} action={this.pathOf(key)} />;
    return pageReply(shown, { status: faults.length > 0 ? 422 : 200 });
  }

  private pathOf(key: readonly string[]): string {
    return adminPath(this.page.path, ...key);
  }
}

interface FilledForm extends Pick<AdminOperation, 'title'> {
  readonly form: AdminForm;
}

interface FoundOperation {
  readonly name: string;
  /** False if the thing does not allow it now; undefined if there is none. */
  readonly operation: AdminOperation | false | undefined;
  readonly thing?: AdminThing | undefined;
}

/** Says what an operation has done, by the first word of its title, the only text taken from the address. */
function doneNotice(verb: string | null): Notice | undefined {
  if (verb === null || !/^[a-z]{1,12}$/.test(verb)) return undefined;
  return { tone: 'good', lines: [`${capitalized(pasts.get(verb) ?? pastOf(verb))}.`] };
}

const pasts = new Map([
  ['cancel', 'cancelled'],
  ['run', 'started'],
  ['send', 'sent'],
  ['sign', 'signed out'],
  ['try', 'started again'],
]);

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
