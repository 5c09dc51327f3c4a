import { type Command, Option } from 'commander';
import { type Plan } from '../definitions/draft.js';
import { type ShownPlan } from '../definitions/show-plan.js';
import { DefinitionFaults, type Fault } from '../definitions/source/faults.js';
import {
  type Client,
  type ClientOptions,
  createClient,
  type RequestOptions,
  WtsError,
} from '../../packages/client/client.js';
import { type ShownVersion } from '../definitions/store/history.js';
import { overtaken } from './drift.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { tell } from './terminal.js';

/** How a command reaches a service by HTTP. */
export interface RemoteOptions {
  readonly url?: string;
  readonly key?: string;
}

/** Adds options by which a command asks a service with a key, instead of using its database. */
export function withRemote(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'use the service at this address instead of its database').env('WTS_URL'),
    )
    .addOption(new Option('--key <key>', 'with --url: a key of scope admin').env('WTS_KEY'));
}

/** The service in the options; undefined if there is none. Throws if the address or the key is missing or invalid. */
export function remoteOf({ url, key }: RemoteOptions): Remote | undefined {
  if (url === undefined) return undefined;
  const address = readUrl(url);
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Error(`${url} is not the address of a service, such as https://wts.example.com`);
  if (!key) throw new Error('--url needs a key of scope admin: give it as WTS_KEY, or by --key');
  return new Remote(address.origin, { url: address.href, key, deadline: 300_000 });
}

/** The options of a plan or an apply. */
interface ChangeFlags {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly fireOverdue?: boolean;
  readonly author?: string;
}

interface RemoteChange {
  readonly text: string;
  readonly file: string;
  readonly options: ChangeFlags;
  /** The version that must be in force. */
  readonly version?: number | undefined;
}

/** The version that is to be in force again. */
interface RemoteRollback {
  readonly to: number;
  readonly dryRun: boolean;
  readonly options: Omit<ChangeFlags, 'prune'>;
}

/** A plan that was carried out, or refused. */
export interface Made {
  readonly made: Plan;
  readonly isApplied: boolean;
}

/** A service that does by HTTP what commands do on its database. */
export class Remote {
  private readonly client: Client;

  constructor(
    private readonly origin: string,
    options: ClientOptions,
  ) {
    this.client = createClient(options);
    tell(`service: ${origin}`);
  }

  /** The definition in force; throws if the key belongs to another workspace than the given one. */
  async read(meant: string | undefined): Promise<JsonMapping> {
    await this.requireWorkspace(meant);
    return (await this.ask('GET', 'definition')) as JsonMapping;
  }

  /** The id of the key's workspace; throws if it is not the given one. */
  async requireWorkspace(meant: string | undefined): Promise<string> {
    const { id } = (await this.ask('GET', 'workspace')) as { readonly id: string };
    if (meant !== undefined && meant !== id)
      throw new Error(`The key belongs to workspace ${id}, not to ${meant}.`);
    return id;
  }

  /** All versions of the definition, newest first. */
  async history(meant: string | undefined): Promise<ShownVersion[]> {
    await this.requireWorkspace(meant);
    const all: ShownVersion[] = [];
    for (;;) {
      const before = all.at(-1)?.version;
      const query = before === undefined ? {} : { before: String(before) };
      const page = (await this.ask('GET', 'definition/history', { query })) as ShownVersion[];
      if (page.length === 0) return all;
      all.push(...page);
    }
  }

  async plan(change: RemoteChange): Promise<Plan> {
    return (await this.change('plan', change)) as ShownPlan;
  }

  async apply(change: RemoteChange): Promise<Made> {
    return madeOf(await this.change('apply', change));
  }

  async rollback({ to, dryRun, options }: RemoteRollback): Promise<Made> {
    const query = { ...queryOf(options), to: String(to), ...(dryRun && { dry_run: 'true' }) };
    const file = `version ${to}`;
    return madeOf(await this.changeBy('definition/rollback', file, { query }), dryRun);
  }

  private async change(
    verb: string,
    { text, file, options, version }: RemoteChange,
  ): Promise<ShownPlan | Refused> {
    const ifMatch = version === undefined ? {} : { 'if-match': `"${version}"` };
    return this.changeBy(`definition/${verb}`, file, {
      query: queryOf(options),
      headers: { 'content-type': 'application/yaml', ...ifMatch },
      body: text,
    });
  }

  private async changeBy(path: string, file: string, options: RequestOptions): Promise<ShownPlan | Refused> {
    const answer = await this.ask('POST', path, options);
    const { faults } = answer as { readonly faults?: readonly Fault[] };
    if (faults) throw new DefinitionFaults(file, faults);
    return answer as ShownPlan | Refused;
  }

  /** The body of an answer: the result, or why a definition was refused. Throws for all other errors. */
  private async ask(method: string, path: string, options: RequestOptions = {}): Promise<object> {
    // A person waits for the answer, so an unreachable service is reported at once; only a busy one is asked again.
    const once = { isRepeatable: false, idempotencyKey: null };
    const answer = await this.client
      .request(method, `/api/v1/${path}`, { ...options, ...once })
      .catch((error: unknown) => this.refused(error));
    if (isObject(answer.body)) return answer.body;
    throw new Error(`${this.origin} does not answer like this service.`);
  }

  /** The body of a refusal with faults of a definition; rethrows other errors. */
  private refused(error: unknown): { readonly body: unknown } {
    if (!(error instanceof WtsError)) throw error;
    const { status, body, cause, message } = error;
    if (isObject(body) && ('faults' in body || 'plan' in body)) return { body };
    if (status === 412) throw overtaken();
    throw new Error(
      status === 0
        ? `${this.origin} cannot be reached: ${reasonOf(cause)}`
        : `${this.origin} answers ${message}`,
    );
  }
}

function queryOf({ prune, allowDataLoss, fireOverdue, author }: ChangeFlags): Record<string, string> {
  const flags = { prune, 'allow-data-loss': allowDataLoss, 'fire-overdue': fireOverdue };
  const set = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [[name, 'true']] : []));
  return { ...(Object.fromEntries(set) as Record<string, string>), ...(author && { author }) };
}

function madeOf(answer: ShownPlan | Refused, isDry = false): Made {
  if ('plan' in answer) return { made: answer.plan, isApplied: false };
  const { version, changes } = answer;
  const isNew = !isDry && changes.length > 0;
  return { made: { ...answer, version: version - Number(isNew) }, isApplied: true };
}

/** An apply that was refused because it would lose data. */
interface Refused {
  readonly plan: ShownPlan;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Why `fetch` failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || (code ?? cause.name);
}
