import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../config.js';
import { publicAddress } from '../public-address.js';
import { print } from './print.js';
import { parseSpan } from './spans.js';

/** `wts wait-ready` */
export function waitReadyCommand(): Command {
  return new Command('wait-ready')
    .description('wait until a service answers that it is ready')
    .option('--url <address>', 'where the service is; without, where one would be that starts here', parseUrl)
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

/** Asks again and again until the service is ready; throws with what it said last when the milliseconds are over. */
export async function waitUntilReady(url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let last = silent; ;) {
    const obstacle = await askWhetherReady(url, Math.max(deadline - Date.now(), 1));
    if (obstacle === undefined) return;
    // A last question that was cut short tells less than the answers before.
    if (obstacle !== silent) last = obstacle;
    if (Date.now() + pauseMs >= deadline)
      throw new Error(`${url} was not ready within ${timeoutMs / 1000} s: ${last}`);
    await pause(pauseMs);
  }
}

/** What stands in the way; undefined when nothing does. */
async function askWhetherReady(url: string, patienceMs: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(Math.min(patienceMs, 5000));
  try {
    // eslint-disable-next-line no-restricted-globals -- an operator asks the operator's own service, on the operator's machine
    const answer = await fetch(`${url}/health/ready`, { signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `it answers ${answer.status}`;
  } catch (error) {
    return signal.aborted ? silent : reasonOf(error);
  }
}

/** `fetch` itself says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const cause: unknown = Reflect.get(Object(error), 'cause') ?? error;
  return String(Reflect.get(Object(cause), 'message') || 'it cannot be reached');
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('It must be an address such as http://localhost:3000.');
  return text.replace(/\/+$/, '');
}

const silent = 'it does not answer';
const pauseMs = 100;
