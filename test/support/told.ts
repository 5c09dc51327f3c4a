import { randomInt } from 'node:crypto';
import { announceChange } from '../../src/common/database/notifications.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { type TestService } from './service.js';

/** Resolves when a service has heard all news of other processes so far, such as of an `apply` by the command line. */
export async function told({ app, dataSource }: Pick<TestService, 'app' | 'dataSource'>): Promise<void> {
  const waiting = listenersOf(app.get(Workspaces, { strict: false }));
  const news = -randomInt(1, 2 ** 30);
  const heard = new Promise<void>((resolve) => waiting.set(news, resolve));
  await announceChange(dataSource.manager, news);
  await heard;
}

const listeners = new WeakMap<Workspaces, Map<number, () => void>>();

/** Those who wait until the service is told to forget the workspace of a number that none has. */
function listenersOf(workspaces: Workspaces): Map<number, () => void> {
  const known = listeners.get(workspaces);
  if (known) return known;
  const waiting = new Map<number, () => void>();
  const forget = workspaces.forget.bind(workspaces);
  const forgetAll = workspaces.forgetAll.bind(workspaces);
  workspaces.forget = (id) => {
    forget(id);
    waiting.get(id)?.();
    waiting.delete(id);
  };
  // A service that begins to listen forgets all that it knew.
  workspaces.forgetAll = () => {
    forgetAll();
    for (const hear of waiting.values()) hear();
    waiting.clear();
  };
  listeners.set(workspaces, waiting);
  return waiting;
}
