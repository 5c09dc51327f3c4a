import { type Command, Option } from 'commander';
import { type Plan } from '../definitions/draft.js';
import { type ShownPlan } from '../definitions/show-plan.js';
import { DefinitionFaults, type Fault } from '../definitions/source/faults.js';
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
  const address = readUrl('api/v1/definition', url.replace(/\/*$/, '/'));
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Error(`${url} is not the address of a service, such as https://wts.example.com`);
  if (!key) throw new Error('--url takes a key of scope admin: give it as WTS_KEY, or by --key');
  return new Remote(address, key);
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
  constructor(
    private readonly address: URL,
    private readonly key: string,
  ) {
    tell(`service: ${address.origin}`);
  }

  /** The definition in force; throws where the key's workspace is not the one that is meant. */
  async read(meant: string | undefined): Promise<JsonMapping> {
    const document = (await this.ask('', {})) as JsonMapping & {
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
    const query = new URLSearchParams(set.map(([name]) => [name, 'true']));
    const headers = { 'Content-Type': 'application/yaml' };
    const answer = await this.ask(`/${verb}?${query.toString()}`, { method: 'POST', headers, body: text });
    const { faults } = answer as { readonly faults?: readonly Fault[] };
    if (faults) throw new DefinitionFaults(file, faults);
    return answer as ShownPlan | Refused;
  }

  /** The body of an answer: what was asked for, or why a definition is refused. Throws what else the service says. */
  private async ask(path: string, request: RequestInit): Promise<object> {
    const headers = { ...request.headers, Accept: 'application/json', Authorization: `Bearer ${this.key}` };
    // eslint-disable-next-line no-restricted-globals -- an operator asks the operator's own service, wherever it is
    const answer = await fetch(`${this.address.href}${path}`, { ...request, headers }).catch(
      (error: unknown) => {
        const { cause = error } = error as Error;
        throw new Error(`${this.address.origin} cannot be asked: ${messageOf(cause)}`);
      },
    );
    const body: unknown = await answer.json().catch(() => undefined);
    const isObject = typeof body === 'object' && body !== null;
    if (isObject && (answer.ok || 'faults' in body || 'plan' in body)) return body;
    const { detail, errors } = (isObject ? body : {}) as {
      readonly detail?: string;
      readonly errors?: object;
    };
    const said = detail ?? (errors ? JSON.stringify(errors) : 'this is not how the service answers');
    throw new Error(`${this.address.origin} answers ${answer.status}: ${said}`);
  }
}

/** An apply that would lose something. */
interface Refused {
  readonly plan: ShownPlan;
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message || (code ?? cause.name);
}
