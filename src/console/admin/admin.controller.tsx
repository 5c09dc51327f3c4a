import { Get, Inject, Post, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { notFound } from '../../common/errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { type Administrator, adminPath } from './admin-page.js';
import { pagesFor } from './admin-pages.js';
import { AdminRoute } from './admin-route.js';

/** The administration: its pages are listed in `admin-pages.ts`. */
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
    return this.routeOf(asked).get(keyIn(asked));
  }

  @Post([':page', ':page/*key'])
  async perform(@AskedHere() asked: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.routeOf(asked).post(keyIn(asked), form);
  }

  private routeOf(asked: AskedOfPages): AdminRoute {
    const reader = administratorOf(asked);
    const { workspace, user, administers } = reader;
    const page = pagesFor(administers).find(({ path }) => path === asked.said('page'));
    if (!page) throw notFound();
    const get = <Service,>(service: Type<Service>): Service => this.modules.get(service, { strict: false });
    const request = { ...asked, reader, get, path: adminPath(page.path) };
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
