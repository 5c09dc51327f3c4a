import { shownKinds } from '../../workflows/definition/kinds.js';
import { type Administration } from '../../workflows/model/roles.js';
import { type AdminPage } from './admin-page.js';
import { definitionPage } from './definition-page.js';
import { executionsPage } from './executions-page.js';
import { keysPage } from './keys-page.js';
import { kindPage } from './kind-page.js';
import { messagesPage } from './messages-page.js';
import { usersPage } from './users-page.js';
import { webhooksPage } from './webhooks-page.js';

interface AdminTab {
  readonly title: string;
  readonly pages: readonly AdminPage[];
}

const tabs: readonly AdminTab[] = [
  { title: 'Executions', pages: [executionsPage] },
  { title: 'Automation', pages: shownKinds.map((kind) => kindPage(kind)) },
  { title: 'Messages and webhooks', pages: [messagesPage, webhooksPage] },
  { title: 'People and keys', pages: [usersPage, keysPage] },
  { title: 'Definition', pages: [definitionPage] },
];

/** The tabs and pages that an administrator sees. Tabs without pages are left out. */
export const tabsFor = ({ isWhole }: Administration): AdminTab[] =>
  tabs
    .map(({ title, pages }) => ({ title, pages: pages.filter((page) => isWhole || !page.isOfWorkspace) }))
    .filter(({ pages }) => pages.length > 0);

export const pagesFor = (administration: Administration): AdminPage[] =>
  tabsFor(administration).flatMap(({ pages }) => pages);
