import { shownKinds } from '../../workflows/definition/kinds.js';
import { type Administration } from '../../workflows/model/roles.js';
import { adminPath, type Tab } from './admin-page.js';
import { AdminRoute } from './admin-route.js';
import { clocksPage, rulesPage, schedulesPage, kindPage } from './automation-pages.js';
import { definitionPage } from './definition-page.js';
import { executionsPage } from './executions-page.js';
import { keysPage } from './keys-page.js';
import { messagesPage } from './messages-page.js';
import { usersPage } from './users-page.js';
import { webhooksPage } from './webhooks-page.js';

const ownPages = [new AdminRoute(rulesPage), new AdminRoute(schedulesPage), new AdminRoute(clocksPage)];
const otherKinds = shownKinds.filter(({ list }) => !ownPages.some(({ page }) => page.path === list));

/** All pages of the administration. */
const tabs: Readonly<Record<string, readonly AdminRoute[]>> = {
  Executions: [new AdminRoute(executionsPage)],
  Automation: [...ownPages, ...otherKinds.map((kind) => new AdminRoute(kindPage(kind)))],
  'Messages and webhooks': [new AdminRoute(messagesPage), new AdminRoute(webhooksPage)],
  'People and keys': [new AdminRoute(usersPage), new AdminRoute(keysPage)],
  Definition: [new AdminRoute(definitionPage)],
};

/** The pages that an administrator may see, by tab. */
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

export function routesFor({ isWhole }: Administration): AdminRoute[] {
  return Object.values(tabs)
    .flat()
    .filter(({ page }) => isWhole || !page.isOfWorkspace);
}
