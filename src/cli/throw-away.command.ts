import { fstatSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { callerFolder, readThrowAwayConfig } from '../config.js';
import { checkDefinition } from '../workflows/definition/check/check-definition.js';
import { createLogger } from '../common/logger.js';
import { urlOf } from '../common/ops/listen.js';
import { outboxOf } from '../common/outbox.js';
import { stopOnSignal, logUnhandledRejections } from '../common/program.js';
import { type Prepare } from './service/service.js';
import { createWorkspace } from './workspace.commands.js';
import { print, tell } from './terminal.js';
import { readSource } from './definition.commands.js';

export function throwAwayCommand(): Command {
  return new Command('throw-away')
    .description('run a service for tests on a temporary database with one workspace; print a line of JSON')
    .argument('<file>', 'the definition of the workspace')
    .addOption(
      new Option('--port <port>', 'the port to listen on').argParser(parsePort).default(0, 'any free port'),
    )
    .addHelpText('after', help)
    .action(run);
}

const help = `
The line holds "url", "key", "databaseUrl" and, unless WTS_SMTP_URL is set, "outbox": the folder of its mails.
For other commands, set DATABASE_URL to this databaseUrl.
The service ends on SIGTERM, on SIGINT, or at the end of standard input if that is a pipe.
The service leaves nothing behind.`;

async function run(file: string, { port }: { readonly port: number }): Promise<void> {
  // Loads the service on demand, because other commands do not need it.
  const { startService, stopService } = await import('./service/service.js');
  // Settings that name files mean the folder of the caller, as FILE does.
  process.chdir(callerFolder());
  const source = await readSource(file);
  checkDefinition(source.definition, source);
  const config = readThrowAwayConfig(port);
  for (const warning of config.warnings) tell(warning);
  // Standard output has only the line of JSON, because programs read the line.
  const logger = createLogger(config.logLevel, process.stderr);
  logUnhandledRejections(logger);
  const prepare: Prepare = ({ dataSource }) => dataSource.transaction((tx) => createWorkspace(tx, source));
  const started = startService({ ...config, warnings: [] }, logger, prepare, '--port');
  const stop = stopOnSignal(logger, async () => { await stopService(await started); }); // prettier-ignore
  // Without `unref`, the open pipe would keep the process alive after a failed start.
  if (isPipe(0)) process.stdin.resume().once('end', stop).once('error', stop).unref();
  const { address, key, database, config: running } = await started;
  const databaseUrl = database.embedded?.url;
  print(JSON.stringify({ url: urlOf(address), key, databaseUrl, outbox: outboxOf(running) }));
}

/** Only a pipe ends with the parent process: a terminal sends a signal, and /dev/null ends at once. */
function isPipe(descriptor: number): boolean {
  const input = fstatSync(descriptor);
  return input.isFIFO() || input.isSocket();
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a port.');
  return port;
}
