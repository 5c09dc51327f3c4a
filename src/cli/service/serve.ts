import { type Config } from '../../config.js';
import { outboxOf } from '../../common/outbox.js';
import { waitForDatabase } from '../../common/database/open-database.js';
import { demoLink, prepareDemo } from '../demo/prepare-demo.js';
import { WorkspaceEntity } from '../../workflows/model/entities/workspace.entity.js';
import { type Logger } from '../../common/logger.js';
import { stopOnSignal } from '../../common/program.js';
import { publicAddress } from '../../common/public-address.js';
import { isFirst, type Prepare, startService, stopService } from './service.js';
import { welcome } from './welcome.js';

/** Starts the service in this process. A signal stops it later. */
export async function serve(config: Config, logger: Logger): Promise<void> {
  if (config.databaseUrl !== undefined) await unlessSignalled(waitForDatabase(config.databaseUrl, logger));
  let isEmpty = false;
  let token: string | undefined;
  const prepare: Prepare = async ({ dataSource }, config) => {
    if (!isFirst()) return undefined;
    if (config.databaseUrl === undefined) {
      const key = await prepareDemo(dataSource, config);
      if (key !== undefined && config.hasConsole) token = await demoLink(dataSource);
      return key;
    }
    isEmpty = !(await dataSource.manager.exists(WorkspaceEntity));
    return undefined;
  };
  // Defers the start until the signal handlers below are installed.
  const started = Promise.resolve().then(() => startService(config, logger, prepare));
  stopOnSignal(logger, async () => {
    await stopService(await started);
  });
  const { address, key, config: running } = await started;
  const signInLink = token && `${publicAddress({ ...config, port: address.port })}/sign-in/${token}`;
  const outbox = outboxOf(running);
  if (isFirst()) process.stdout.write(welcome(address, { key, signInLink, outbox, isEmpty }));
}

/** Waits for a promise. A signal meanwhile ends the process at once: nothing needs to be closed yet. */
async function unlessSignalled(waiting: Promise<void>): Promise<void> {
  const end = (): void => {
    process.exit(0);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  await waiting;
  process.off('SIGINT', end).off('SIGTERM', end);
}
