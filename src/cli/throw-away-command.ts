import { fstatSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readThrowAwayConfig } from '../config.js';
import { checkDefinition } from '../definitions/check-definition.js';
import { createLogger } from '../logger.js';
import { urlOf } from '../observability/listen.js';
import { stopOnSignal } from '../stop-on-signal.js';
import { logUnhandledRejections } from '../unhandled.js';
import { createWorkspace } from './create-workspace.js';
import { print } from './print.js';
import { readSource } from './read-source.js';

/** `wts throw-away` */
export function throwAwayCommand(): Command {
  return new Command('throw-away')
    .description(
      'run a service for tests on a throw-away database with one workspace in it; print a line of JSON',
    )
    .argument('<file>', 'the definition of the workspace')
    .addOption(
      new Option('--port <port>', 'where to listen').argParser(parsePort).default(0, 'any free port'),
    )
    .addHelpText('after', help)
    .action(run);
}

const help = `
The line holds "url", "key" and "databaseUrl"; whoever sets DATABASE_URL to that uses other commands on it.
The service ends, and leaves nothing behind, by SIGTERM, SIGINT or, where standard input is a pipe, by its end.`;

async function run(file: string, { port }: { readonly port: number }): Promise<void> {
  // The other commands need none of it, and it takes a while to load.
  const { startService, stopService } = await import('../running-service.js');
  const { source } = await readSource(file);
  checkDefinition(source.definition, source);
  const config = readThrowAwayConfig(port);
  const logger = createLogger(config.logLevel);
  logUnhandledRejections(logger);
  const started = startService(config, logger, ({ dataSource }) =>
    dataSource.transaction((tx) => createWorkspace(tx, source)),
  );
  const stop = stopOnSignal(logger, async (hurry) => { await stopService(await started, config, hurry); }); // prettier-ignore
  if (isPipe(0)) process.stdin.resume().once('end', stop).once('error', stop);
  const { address, key, database } = await started;
  print(JSON.stringify({ url: urlOf(address), key, databaseUrl: database.embedded?.url }));
}

/** A terminal ends by a signal and /dev/null at once; only a pipe has somebody at its other end. */
function isPipe(descriptor: number): boolean {
  const input = fstatSync(descriptor);
  return input.isFIFO() || input.isSocket();
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a port.');
  return port;
}
