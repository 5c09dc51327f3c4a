import { Get, Inject, Post, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { notFound } from '../../common/errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { type Administrator, adminPath, type Tab } from './admin-page.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { type Administration } from '../../workflows/model/roles.js';
import { AdminRoute } from './admin-route.js';
import { clocksPage, rulesPage, schedulesPage, kindPage } from './automation-pages.js';
import { definitionPage } from './definition-page.js';
import { executionsPage } from './executions-page.js';
import { keysPage } from './keys-page.js';
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
    const [first] = routesFor(administratorOf(asked).administers);
    return seeOther(adminPath(first?.page.path ?? ''));
  }

  @Get([':page', ':page/*key'])
  async show(@AskedHere() given: AskedOfPages): Promise<Reply> {
    const { route, key, asked } = this.enter(given);
    return route.get(key, asked);
  }

  @Post([':page', ':page/*key'])
  async perform(@AskedHere() given: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { route, key, asked } = this.enter(given);
    const { workspace, user } = asked.reader;
    return route.post(key, asked, form, (act, of) => {
      this.logger.info({ workspace: workspace.slug, user: user.email, act, of }, 'administration');
    });
  }

  private enter(given: AskedOfPages) {
    const reader = administratorOf(given);
    const route = routesFor(reader.administers).find(({ page }) => page.path === given.said('page'));
    if (!route) throw notFound();
    const key = [given.request.params['key'] ?? []].flat();
    const get = <Service,>(service: Type<Service>): Service => this.modules.get(service, { strict: false });
    const path = adminPath(route.page.path);
    return { route, key, asked: { ...given, reader, get, path, tabs: tabsFor(reader.administers) } };
  }
}

function administratorOf({ reader }: AskedOfPages): Administrator {
  const { administers } = reader;
  if (!administers) throw notFound();
  return { ...reader, administers };
}

const ownPages = [new AdminRoute(rulesPage), new AdminRoute(schedulesPage), new AdminRoute(clocksPage)];
const otherKinds = shownKinds.filter(({ list }) => !ownPages.some(({ page }) => page.path === list));

const tabs: Readonly<Record<string, readonly AdminRoute[]>> = {
  Executions: [new AdminRoute(executionsPage)],
  Automation: [...ownPages, ...otherKinds.map((kind) => new AdminRoute(kindPage(kind)))],
  'Messages and webhooks': [new AdminRoute(messagesPage), new AdminRoute(webhooksPage)],
  'People and keys': [new AdminRoute(usersPage), new AdminRoute(keysPage)],
  Definition: [new AdminRoute(definitionPage)],
};

export function tabsFor(administration: Administration): Tab[] {
  const seen = routesFor(administration);
  const all = Object.entries(tabs).map(([title, routes]) => ({
    title,
    pages: routes.filter((one) => seen.includes(one)),
  }));
  return all
    .filter(({ pages }) => pages.length > 0)
    .map(({ title, pages }) => ({
      title,
      pages: pages.map(({ page }) => [adminPath(page.path), page.title]),
    }));
}

function routesFor({ isWhole }: Administration): AdminRoute[] {
  return Object.values(tabs)
    .flat()
    .filter(({ page }) => isWhole || !page.isOfWorkspace);
}
