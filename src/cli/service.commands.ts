import { fstatSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import { readThrowAwayConfig, readConfig } from '../config.js';
import { checkDefinition } from '../definitions/check/check-definition.js';
import { createLogger } from '../lib/logger.js';
import { urlOf } from '../ops/listen.js';
import { stopOnSignal, logUnhandledRejections } from '../lib/program.js';
import { createWorkspace } from './workspace.commands.js';
import { print, parseSpan } from './terminal.js';
import { readSource } from './definition.commands.js';
import { publicAddress } from '../lib/public-address.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** `wts throw-away` */
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
The line holds "url", "key" and "databaseUrl"; set DATABASE_URL to the last one to use other commands on it.
The service ends on SIGTERM, on SIGINT or, if standard input is a pipe, at its end. It leaves nothing behind.`;

async function run(file: string, { port }: { readonly port: number }): Promise<void> {
  // Loaded late, because it takes a while and other commands do not need it.
  const { startService, stopService } = await import('../service.js');
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

/** Only the end of a pipe means that the parent is gone: a terminal sends a signal, and /dev/null ends at once. */
function isPipe(descriptor: number): boolean {
  const input = fstatSync(descriptor);
  return input.isFIFO() || input.isSocket();
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a port.');
  return port;
}

/** `wts wait-ready` */
export function waitReadyCommand(): Command {
  return new Command('wait-ready')
    .description('wait until a service answers that it is ready')
    .option('--url <address>', 'the address of the service; default: of one that starts here', parseUrl)
    .addOption(
      new Option('--timeout <span>', 'how long to wait at most, such as 60s or 5m')
        .argParser(parseSpan)
        .default(60_000, '60s'),
    )
    .action(
      async ({
        url = publicAddress(readConfig()),
        timeout,
      }: {
        readonly url?: string;
        readonly timeout: number;
      }) => {
        const begun = Date.now();
        await waitUntilReady(url, timeout);
        print(`${url} is ready after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      },
    );
}

/** Asks until the service is ready; throws its last answer once the time is up. */
export async function waitUntilReady(url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let last = silent; ;) {
    const obstacle = await askWhetherReady(url, Math.max(deadline - Date.now(), 1));
    if (obstacle === undefined) return;
    // The last request may have been cut short, and tells less than the answers before it.
    if (obstacle !== silent) last = obstacle;
    if (Date.now() + POLL_INTERVAL_MS >= deadline)
      throw new Error(`${url} was not ready within ${timeoutMs / 1000} s: ${last}`);
    await pause(POLL_INTERVAL_MS);
  }
}

/** Why the service is not ready; undefined if it is. */
async function askWhetherReady(url: string, timeoutMs: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(Math.min(timeoutMs, 5000));
  try {
    // eslint-disable-next-line no-restricted-globals -- an operator asks the operator's own service, on the operator's machine
    const answer = await fetch(`${url}/health/ready`, { signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `it answers ${answer.status}`;
  } catch (error) {
    return signal.aborted ? silent : reasonOf(error);
  }
}

/** The error of `fetch` only says that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const cause: unknown = Reflect.get(Object(error), 'cause') ?? error;
  return String(Reflect.get(Object(cause), 'message') || 'it cannot be reached');
}

function parseUrl(text: string): string {
  if (!readUrl(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('It must be an address such as http://localhost:3000.');
  return text.replace(/\/+$/, '');
}

const silent = 'it does not answer';
const POLL_INTERVAL_MS = 100;
