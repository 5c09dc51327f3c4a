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
import { type JsonMapping } from '../workspace/definition-reader.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { tell } from './terminal.js';

/** Where a command finds a service that it asks over HTTP. */
export interface RemoteOptions {
  readonly url?: string;
  readonly key?: string;
}

/** A command that may ask a service, by a key of its, instead of working on its database. */
export function withRemote(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'ask the service at this address, without its database').env('WTS_URL'),
    )
    .addOption(new Option('--key <key>', 'with --url: a key of scope admin').env('WTS_KEY'));
}

/** The service that the options name; undefined where they name none. Throws where they name no key, or no address. */
export function remoteOf({ url, key }: RemoteOptions): Remote | undefined {
  if (url === undefined) return undefined;
  const address = readUrl(url);
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Error(`${url} is not the address of a service, such as https://wts.example.com`);
  if (!key) throw new Error('--url takes a key of scope admin: give it as WTS_KEY, or by --key');
  return new Remote(address.origin, { url: address.href, key, deadline: 300_000 });
}

/** What a plan or an apply is told beside the document. */
interface RemoteChange {
  readonly text: string;
  readonly file: string;
  readonly options: {
    readonly prune?: boolean;
    readonly allowDataLoss?: boolean;
    readonly fireOverdue?: boolean;
  };
}

/** A service that is asked over HTTP: it does what commands do on its database. */
class Remote {
  private readonly client: Client;

  constructor(
    private readonly origin: string,
    options: ClientOptions,
  ) {
    this.client = createClient(options);
    tell(`service: ${origin}`);
  }

  /** The definition in force; throws where the key's workspace is not the one that is meant. */
  async read(meant: string | undefined): Promise<JsonMapping> {
    const document = (await this.ask('GET', '')) as JsonMapping & {
      readonly workspace: { readonly id: string };
    };
    const { id } = document.workspace;
    if (meant !== undefined && meant !== id)
      throw new Error(`The key is one of workspace ${id}, not of ${meant}.`);
    return document;
  }

  async plan(change: RemoteChange): Promise<Plan> {
    return (await this.change('plan', change)) as ShownPlan;
  }

  /** The plan that was carried out, or refused. */
  async apply(change: RemoteChange): Promise<{ readonly made: Plan; readonly isApplied: boolean }> {
    const answer = await this.change('apply', change);
    if ('plan' in answer) return { made: answer.plan, isApplied: false };
    const { version, changes } = answer;
    return { made: { ...answer, version: version - Number(changes.length > 0) }, isApplied: true };
  }

  private async change(verb: string, { text, file, options }: RemoteChange): Promise<ShownPlan | Refused> {
    const { prune, allowDataLoss, fireOverdue } = options;
    const flags = { prune, 'allow-data-loss': allowDataLoss, 'fire-overdue': fireOverdue };
    const set = Object.entries(flags).filter(([, isSet]) => isSet);
    const answer = await this.ask('POST', `/${verb}`, {
      query: Object.fromEntries(set),
      headers: { 'content-type': 'application/yaml' },
      body: text,
    });
    const { faults } = answer as { readonly faults?: readonly Fault[] };
    if (faults) throw new DefinitionFaults(file, faults);
    return answer as ShownPlan | Refused;
  }

  /** The body of an answer: what was asked for, or why a definition is refused. Throws what else the service says. */
  private async ask(method: string, path: string, options: RequestOptions = {}): Promise<object> {
    // Somebody waits for the answer: what cannot be reached is said at once, only a busy service is asked again.
    const once = { isRepeatable: false, idempotencyKey: null };
    const answer = await this.client
      .request(method, `/api/v1/definition${path}`, { ...options, ...once })
      .catch((error: unknown) => this.refused(error));
    if (isObject(answer.body)) return answer.body;
    throw new Error(`${this.origin} does not answer as the service does.`);
  }

  /** The answer of a refusal that tells what is wrong with a definition. */
  private refused(error: unknown): { readonly body: unknown } {
    if (!(error instanceof WtsError)) throw error;
    const { status, body, cause, message } = error;
    if (isObject(body) && ('faults' in body || 'plan' in body)) return { body };
    throw new Error(
      status === 0
        ? `${this.origin} cannot be asked: ${reasonOf(cause)}`
        : `${this.origin} answers ${message}`,
    );
  }
}

/** An apply that would lose something. */
interface Refused {
  readonly plan: ShownPlan;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What kept `fetch` from an answer. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || (code ?? cause.name);
}
