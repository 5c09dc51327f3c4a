import { Get, Inject, Post, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { notFound } from '../../common/errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { type Administrator, adminPath } from './admin-page.js';
import { routesFor, tabsFor } from './admin-tabs.js';

/** The administration: its pages stand in `admin-tabs`. */
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

  /** The page that the path names, if the reader may see it. */
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
