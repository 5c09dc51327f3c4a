import { Get, Inject, Post, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { notFound } from '../../common/errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { type Reply } from '../../common/reply.js';
import { type Administration } from '../../workflows/model/roles.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { type Administrator, type AdminPage, adminPath, type Tab } from './admin-page.js';
import { AdminRoute } from './admin-route.js';
import { definitionPage } from './definition-page.js';
import { executionsPage } from './executions-page.js';
import { keysPage } from './keys-page.js';
import { kindPages } from './kind-pages.js';
import { messagesPage } from './messages-page.js';
import { usersPage } from './users-page.js';
import { webhooksPage } from './webhooks-page.js';

/** The administration: its pages are listed in `tabs`. */
@Pages('admin')
export class AdminController {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  home(@AskedHere() asked: AskedOfPages): Reply {
    const [first] = tabsFor(administratorOf(asked).administers);
    return seeOther(first?.pages[0]?.[0] ?? '/');
  }

  @Get([':page', ':page/*key'])
  async show(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    return this.routeOf(asked).get(keyIn(asked));
  }

  @Post([':page', ':page/*key'])
  async perform(@AskedHere() asked: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.routeOf(asked).post(keyIn(asked), form);
  }

  private routeOf(asked: AskedOfPages): AdminRoute {
    const reader = administratorOf(asked);
    const { workspace, user, administers } = reader;
    const page = Object.values(tabs)
      .flat()
      .find(({ path }) => path === asked.said('page'));
    if (!page || !isFor(administers, page)) throw notFound();
    const get = <Service,>(service: Type<Service>): Service => this.modules.get(service, { strict: false });
    const request = { ...asked, reader, get, path: adminPath(page.path), tabs: tabsFor(administers) };
    return new AdminRoute(page, request, (act, of) => {
      this.logger.info({ workspace: workspace.slug, user: user.email, act, of }, 'administration');
    });
  }
}

const keyIn = ({ request }: AskedOfPages): string[] => [request.params['key'] ?? []].flat();

function administratorOf({ reader }: AskedOfPages): Administrator {
  const { administers } = reader;
  if (!administers) throw notFound();
  return { ...reader, administers };
}

const tabs: Readonly<Record<string, readonly AdminPage[]>> = {
  Executions: [executionsPage],
  Automation: kindPages,
  'Messages and webhooks': [messagesPage, webhooksPage],
  'People and keys': [usersPage, keysPage],
  Definition: [definitionPage],
};

const isFor = ({ isWhole }: Administration, { isOfWorkspace }: AdminPage): boolean =>
  isWhole || isOfWorkspace !== true;

export function tabsFor(administration: Administration): Tab[] {
  return Object.entries(tabs).flatMap(([title, all]): Tab[] => {
    const pages = all.filter((page) => isFor(administration, page));
    return pages.length > 0
      ? [{ title, pages: pages.map(({ path, title: name }) => [adminPath(path), name]) }]
      : [];
  });
}
