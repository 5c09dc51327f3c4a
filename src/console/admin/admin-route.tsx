import { type Message } from '../../common/message.js';
import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { faultsOf } from '../../common/field-errors.js';
import { type Reply } from '../../common/reply.js';
import { keyOfForm } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { faultsOfForm, type Notice } from '../parts/notices.js';
import { type FormFaults, FormPage } from './admin-frame.js';
import { AdminListPage, readAdminList } from './admin-list.js';
import { adminPath, type AdminForm, type AdminOperation, type AdminPage, type AdminRequest, type Secret, type SentOperation } from './admin-page.js'; // prettier-ignore
import { ThingPage } from './admin-thing.js';

/** Answers requests for a page of the administration. `key` is the rest of the path after the page's own. */
export class AdminRoute<Thing = unknown, Row = unknown> {
  constructor(readonly page: AdminPage<Thing, Row>) {}

  async get(key: readonly string[], asked: AdminRequest): Promise<Reply> {
    const { page } = this;
    const answer = await page.answer?.(key.join('/'), asked);
    if (answer) return answer;
    if (key.length === 0 && !asked.query.has('new')) return this.listReply(asked);
    const thing = await this.find(key, asked);
    if (thing !== undefined && page.show) return this.thingReply(thing, key, asked);
    const isNew = key.join('/') === 'new';
    const operation = await this.operationAt(isNew ? [] : key, asked);
    const form = operation?.isAllowed ? operation.form(asked) : undefined;
    if (!form) throw notFound();
    return this.formReply(form, isNew ? [] : key, asked);
  }

  /** Redirects to a page with the result, or shows a refused form again. */
  async post(key: readonly string[], asked: AdminRequest, form: URLSearchParams, note: Note): Promise<Reply> {
    const operation = await this.operationAt(key, asked);
    if (!operation) throw notFound();
    const { name, thing } = operation;
    const again = (beside: Beside): Promise<Reply> =>
      thing === undefined
        ? this.listReply(asked, beside)
        : this.thingReply(thing, key.slice(0, -1), asked, beside);
    if (!operation.isAllowed) return again(refused(409, ['This is not possible now.']));
    try {
      const done = (await operation.run({ ...asked, form, key: keyOfForm(form) })) ?? {};
      const now = done.key ?? key.slice(0, -1);
      note(`${name}-${this.page.one}`, now.join('/'));
      if (done.secret) return await this.secretReply(done.secret, now, asked);
      const query = new URLSearchParams({
        done: name,
        ...(done.count !== undefined && { count: `${done.count}` }),
      });
      return seeOther(`${this.addressOf(this.page.show ? now : [])}?${query.toString()}`);
    } catch (error) {
      const asks = operation.form(asked);
      if (!asks) return again(refusalBy(error));
      return this.formReply({ ...asks, values: form }, key, asked, faultsOfForm(error, ['conflict']));
    }
  }

  private async find(key: readonly string[], asked: AdminRequest): Promise<Thing | undefined> {
    return key.length === (this.page.keyLength ?? 1) ? this.page.find?.(key, asked) : undefined;
  }

  private async operationAt(
    key: readonly string[],
    asked: AdminRequest,
  ): Promise<BoundOperation<Thing> | undefined> {
    const { create, operations = {} } = this.page;
    if (key.length === 0) return create && bound('make', create, undefined);
    const name = key.at(-1) ?? '';
    const [, operation] = Object.entries(operations).find(([one]) => one === name) ?? [];
    const thing = operation && (await this.find(key.slice(0, -1), asked));
    return operation && thing !== undefined ? { ...bound(name, operation, thing), thing } : undefined;
  }

  private async listReply(
    asked: AdminRequest,
    { status = 200, notice = this.doneNotice(asked) }: Beside = {},
  ) {
    const [above, read] = await Promise.all([this.page.above?.(asked), readAdminList(this.page, asked)]);
    return pageReply(<AdminListPage {...{ page: this.page, asked, notice, above, read }} />, { status });
  }

  private async thingReply(thing: Thing, key: readonly string[], given: AdminRequest, beside: Beside = {}) {
    if (!this.page.show) return this.listReply(given, beside);
    const asked = { ...given, path: this.addressOf(key) };
    const shown = await this.page.show(thing, asked);
    const { status = 200, notice = this.doneNotice(asked), secret } = beside;
    return pageReply(<ThingPage {...{ page: this.page, thing, shown, asked, notice, secret }} />, { status });
  }

  private async secretReply(secret: Secret, key: readonly string[], asked: AdminRequest): Promise<Reply> {
    const thing = await this.find(key, asked);
    if (thing === undefined) throw notFound();
    return this.thingReply(thing, key, asked, { secret });
  }

  private formReply(
    form: AdminForm,
    key: readonly string[],
    asked: AdminRequest,
    faults: FormFaults = [],
  ): Reply {
    const above = { href: asked.path, name: this.page.title };
    const page = <FormPage {...{ form, faults, above, asked }} action={this.addressOf(key)} />;
    return pageReply(page, { status: faults.length > 0 ? 422 : 200 });
  }

  private doneNotice({ query }: AdminRequest): Notice | undefined {
    const { create, operations } = this.page;
    const [, operation] = Object.entries({ ...operations, make: create }).find(([name]) => name === query.get('done')) ?? []; // prettier-ignore
    const text = operation?.done?.(Number(query.get('count')?.slice(0, 9)) || 0);
    return text === undefined ? undefined : { tone: 'good', lines: [text] };
  }

  private addressOf(key: readonly string[]): string {
    return adminPath(this.page.path, ...key);
  }
}

type Note = (act: string, of: string) => void;

interface Beside {
  readonly status?: number;
  readonly notice?: Notice;
  readonly secret?: Secret;
}

interface BoundOperation<Thing> {
  readonly name: string;
  readonly isAllowed: boolean;
  readonly thing?: Thing;
  form(asked: AdminRequest): AdminForm | undefined;
  run(sent: SentOperation): ReturnType<AdminOperation<Thing>['run']>;
}

const bound = <Of,>(name: string, operation: AdminOperation<Of>, of: Of): BoundOperation<never> => ({
  name,
  isAllowed: operation.isAllowed?.(of) ?? true,
  form: (asked) => operation.form?.(of, asked),
  run: (sent) => operation.run(of, sent),
});

const refused = (status: number, lines: readonly Message[]): Beside => ({
  status,
  notice: { tone: 'bad', lines },
});

/** The notice about a refused operation; throws other errors on. */
function refusalBy(error: unknown): Beside {
  if (error instanceof Refusal && error.kind === 'conflict') return refused(409, [error.said]);
  if (!(error instanceof RefusedExecution)) return refused(422, faultsOf(error));
  return refused(422, ['The action was not started:', ...error.errors]);
}
