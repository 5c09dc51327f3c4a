import { Get, Inject, Post, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { faultsOf, type InvalidFields } from '../../common/field-errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { FormBody, keyOfForm } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { faultsOfForm } from '../parts/notices.js';
import { listPage, NewThingPage, type PageExtras, thingPage } from './admin-frame.js';
import { type AdminCreation, type Administrator, type AdminPage, adminPath, type AdminRequest, type AdminThing } from './admin-page.js'; // prettier-ignore
import { pagesFor } from './admin-pages.js';

/** Serves the administration. `admin-pages.ts` lists its pages. */
@Pages('admin')
export class AdminController {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  home(@AskedHere() asked: AskedOfPages): Reply {
    const [first] = pagesFor(administratorOf(asked).administers);
    return seeOther(adminPath(first?.path ?? ''));
  }

  @Get([':page', ':page/*key'])
  async show(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const place = this.placeOf(asked);
    const create = asked.query.has('new') ? creationAt(place) : undefined;
    if (create) return creationReply(place, create);
    const thing = await thingAt(place);
    if (place.key.length > 0 && !thing?.page) throw notFound();
    return reply(place, thing, asked.query.has('done') ? { notice: { tone: 'good', lines: ['Done.'] } } : {});
  }

  /** Runs an operation. Redirects to the result, or shows a new secret or the reasons of a refusal. */
  @Post([':page', ':page/*key'])
  async perform(@AskedHere() asked: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    const place = this.placeOf(asked);
    const create = creationAt(place);
    const here = { ...place, key: place.key.slice(0, -1) };
    const thing = await thingAt(here);
    const name = place.key.at(-1) ?? 'make';
    const operation = create ?? new Map(Object.entries(thing?.operations ?? {})).get(name);
    if (operation === undefined) throw notFound();
    if (!operation) return reply(here, thing, refused(409, ['This is not possible now.']));
    try {
      const { key = here.key, secret } = (await operation.run({ form, key: keyOfForm(form) })) ?? {};
      const next = { ...place, key };
      this.note(place, `${name}-${place.page.one}`, (thing ? here : next).key.join('/'));
      if (secret) return await reply(next, await thingAt(next), { secret });
      return seeOther(`${pathOf(next)}?done`);
    } catch (error) {
      if (!create) return reply(here, thing, refusalBy(error));
      return creationReply(place, create, faultsOfForm(error, ['conflict']), form);
    }
  }

  private placeOf(asked: AskedOfPages): Place {
    const reader = administratorOf(asked);
    const page = pagesFor(reader.administers).find(({ path }) => path === asked.said('page'));
    if (!page) throw notFound();
    const get = <Service,>(service: Type<Service>): Service => this.modules.get(service, { strict: false });
    const key = [asked.request.params['key'] ?? []].flat();
    return { page, key, asked: { ...asked, reader, get, path: adminPath(page.path) } };
  }

  private note({ asked: { reader } }: Place, act: string, of: string): void {
    const { workspace, user } = reader;
    this.logger.info({ workspace: workspace.slug, user: user.email, act, of }, 'administration');
  }
}

/** The page that a URL names. `key` is the rest of the path: a thing, and perhaps one of its operations. */
interface Place {
  readonly page: AdminPage;
  readonly key: readonly string[];
  readonly asked: AdminRequest;
}

function administratorOf({ reader }: AskedOfPages): Administrator {
  const { administers } = reader;
  if (!administers) throw notFound();
  return { ...reader, administers };
}

const pathOf = ({ page, key }: Place): string => adminPath(page.path, ...key);

const creationAt = ({ page, key, asked }: Place): AdminCreation | undefined =>
  key.length === 0 ? page.create?.(asked) : undefined;

async function thingAt(place: Place): Promise<AdminThing | undefined> {
  const { page, key, asked } = place;
  if (key.length !== (page.keyLength ?? 1)) return undefined;
  return page.open(key, { ...asked, path: pathOf(place) });
}

/** Shows the page of a thing, or the list if the thing has no page. */
async function reply(place: Place, thing: AdminThing | undefined, extras: PageExtras): Promise<Reply> {
  const { page, asked } = place;
  const shown = thing?.page
    ? thingPage(page, { ...asked, path: pathOf(place) }, { ...thing, page: thing.page }, extras)
    : listPage(page, asked, extras);
  return pageReply(await shown, { status: extras.status ?? 200 });
}

function creationReply(
  { page, asked: { path } }: Place,
  create: AdminCreation,
  faults: InvalidFields['fields'] = [],
  sent = new URLSearchParams(),
): Reply {
  const shown = { page, path, create, faults, sent };
  return pageReply(<NewThingPage {...shown} />, { status: faults.length > 0 ? 422 : 200 });
}

const refused = (status: number, lines: readonly Message[]): PageExtras => ({
  status,
  notice: { tone: 'bad', lines },
});

/** The notice about a refused operation. Rethrows other errors. */
function refusalBy(error: unknown): PageExtras {
  if (error instanceof Refusal && error.kind === 'conflict') return refused(409, [error.said]);
  if (!(error instanceof RefusedExecution)) return refused(422, faultsOf(error));
  return refused(422, ['The action was not started:', ...error.errors]);
}
