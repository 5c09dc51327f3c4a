import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { didYouMean } from './common/did-you-mean.js';
import { type LogLevel } from './common/logger.js';
import { type Background } from './common/pause.js';
import { quote } from './common/wording.js';
import * as kinds from './common/setting-kinds.js';
import { type SettingKind } from './common/setting-kinds.js';

/** The environment variables. Only `config.ts` may read them. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting<T> extends SettingKind<T> {
  readonly name: string;
  readonly fallback: T;
}

const setting = <T>(name: string, kind: SettingKind<NoInfer<T>>, fallback: T): Setting<T> => ({ ...kind, name, fallback }); // prettier-ignore
const optional = <T>(name: string, kind: SettingKind<T>): Setting<T | undefined> => ({ ...kind, name, fallback: undefined }); // prettier-ignore

const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

const mcpUses = ['off', 'read', 'on'] as const;
export type McpUse = (typeof mcpUses)[number];

const logLevels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const none: readonly string[] = [];
const mebibyte = 2 ** 20;
const bytes = kinds.wholeNumber('a number of bytes', 1, 1024 * mebibyte);

/** The settings: each with its variable, the kind of its value and its default. */
const settings = {
  /** The port to listen on; 0 takes any free port. */
  port: setting('PORT', kinds.port, 3000),
  /** The address to listen on; `::` stands for all addresses of the machine. */
  ownHost: optional('WTS_HOST', kinds.host),
  /** How many processes share the port. If absent, one process runs without supervision. */
  processes: optional('WTS_PROCESSES', kinds.processCount),
  ownPoolSize: optional('WTS_POOL_SIZE', kinds.wholeNumber('a number from 2 to 1000', 2, 1000)),
  /** How many threads Node.js has for files and DNS look-ups. */
  threads: setting('UV_THREADPOOL_SIZE', kinds.wholeNumber('a number from 1 to 1024', 1, 1024), 4),
  /** Whether this process answers requests (`api`), runs background work (`worker`), or both (`all`). */
  role: setting<Role>('WTS_ROLE', kinds.choiceOf(...roles), 'all'),
  /** The URL under which clients reach the service. */
  publicUrl: optional('PUBLIC_URL', kinds.httpUrl),
  /** The template of `Task URL`, with `{workflow}` and `{task}` as placeholders of ids. */
  taskUrl: optional('WTS_TASK_URL', kinds.taskUrl),
  /** The URL of PostgreSQL. If absent, the service uses an embedded PostgreSQL in `dataDir`. */
  databaseUrl: optional('DATABASE_URL', kinds.postgresUrl),
  redisUrl: optional('REDIS_URL', kinds.redisUrl),
  dataDir: setting('WTS_DATA_DIR', kinds.anyText('a folder'), './.data'),
  /** Whether to use a throw-away embedded database instead of the one in `dataDir`. */
  ephemeral: setting('WTS_EPHEMERAL', kinds.flag, false),
  /** The store of attachments: `s3://bucket/prefix`, or a folder. If absent, a folder in `dataDir`. */
  blobStore: optional('WTS_BLOB_STORE', kinds.blobPlace),
  /** The URL of the S3-compatible service of an `s3://` store. If absent, Amazon S3. */
  s3Endpoint: optional('WTS_S3_ENDPOINT', kinds.httpUrl),
  s3Region: setting('AWS_REGION', kinds.anyText('a region'), 'us-east-1'),
  /** The most bytes of a body that writes a task, of a form in the console, or of an MCP message. */
  maxBodyBytes: setting('WTS_MAX_BODY_BYTES', bytes, 8 * mebibyte),
  /** The most bytes of one attachment. */
  maxFileBytes: setting('WTS_MAX_FILE_BYTES', bytes, 25 * mebibyte),
  /** The most requests of one key in a minute; 0 sets no limit. */
  rateLimit: setting('WTS_RATE_LIMIT', kinds.wholeNumber('a number of requests', 0, 10 ** 9), 0),
  /** Networks (CIDR) of the proxies that are trusted to report the address of a client. */
  trustedProxies: setting('WTS_TRUSTED_PROXIES', kinds.networks, none),
  /** What agents may do through MCP. */
  mcp: setting<McpUse>('WTS_MCP', kinds.choiceOf(...mcpUses), 'read'),
  hasConsole: setting('WTS_CONSOLE', kinds.onOrOff, true),
  /** The name of the service on its pages. */
  serviceName: setting('WTS_CONSOLE_NAME', kinds.oneLine, 'Workflow Task Service'),
  /** Whether the service runs schedules, downloads files, and sends webhooks, mail, chat and calls. */
  isOutboundOn: setting('WTS_OUTBOUND', kinds.onOrOff, true),
  /** Networks (CIDR) to which outgoing requests may connect, besides public addresses. */
  outboundAllow: setting('WTS_OUTBOUND_ALLOW', kinds.networks, none),
  /** The mail server or folder: `smtp://`, `smtps://`, or `file:` and a folder. Default: see `mailUrlOf`. */
  smtpUrl: optional('WTS_SMTP_URL', kinds.smtpUrl),
  /** The sender of mail: an address, or a name and an address. */
  mailFrom: setting('WTS_MAIL_FROM', kinds.mailAddress, 'wts@localhost'),
  /** How many days events are kept. If absent, events are kept forever. */
  eventDays: optional('WTS_EVENT_DAYS', kinds.wholeNumber('a number of days', 1, 100_000)),
  logLevel: setting<LogLevel>('WTS_LOG_LEVEL', kinds.choiceOf(...logLevels), 'info'),
  /** The port of /metrics. If absent, /metrics is not served. */
  metricsPort: optional('WTS_METRICS_PORT', kinds.port),
  collectorUrl: optional('OTEL_EXPORTER_OTLP_ENDPOINT', kinds.httpUrl),
  /**
   * How many milliseconds the port stays open after the service reports that it is not ready. Load balancers
   * need this time to notice.
   */
  ownDrainMs: optional('WTS_DRAIN_MS', kinds.wholeNumber('milliseconds, at most 60000', 0, 60_000)),
  isTest: setting('WTS_TEST_MODE', kinds.flag, false),
  /** For tests: a file with a duration. The service's time is ahead of the real time by this duration. */
  timeFile: optional('WTS_CLOCK', kinds.anyText('a file')),
} as const;

const oidcSettings = {
  issuer: setting('WTS_OIDC_ISSUER', kinds.issuer, ''),
  clientId: setting('WTS_OIDC_CLIENT_ID', kinds.oneLine, ''),
  clientSecret: setting('WTS_OIDC_CLIENT_SECRET', kinds.anyText('a secret'), ''),
} as const;

const testOptions = optional('WTS_TEST_OPTIONS', {
  wanted: 'JSON',
  parse: (text): Partial<TestOptions> | undefined => JSON.parse(text) as Partial<TestOptions>,
});

type ValuesOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** An identity provider, and the service's registration with it. */
export type OidcConfig = ValuesOf<typeof oidcSettings>;

const seconds = (...delays: readonly number[]): readonly number[] => delays.map((delay) => delay * 1000);

/** Only the service's own tests change these constants. */
const constants = {
  /** When background work starts: by itself (`always`), or for `settle` and waiting requests (`asked`). */
  background: 'always' as Background,
  /**
   * The most milliseconds from the end of a request's body to the start of the answer. Most clients give up
   * after this time.
   */
  requestMs: 30_000,
  /** The most milliseconds for one statement. A statement that outlasts its request is useless. */
  statementMs: 30_000,
  /** The most milliseconds that a transaction may be idle, so that a stuck process does not hold locks. */
  idleTransactionMs: 10_000,
  /** The length of a lease in milliseconds. If a worker dies, its work waits no longer than a lease. */
  leaseMs: 15_000,
  /** The most milliseconds from an execution's first claim to its end, with all tries of all its calls. */
  executionMs: 300_000,
  /** The waits before the tries of a delivery, in milliseconds: three days in total, to outlast a weekend. */
  webhookDelaysMs: seconds(0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400),
  /** The waits before the tries to send a message, in milliseconds: a day in total. */
  messageDelaysMs: seconds(0, 60, 300, 900, 3600, 7200, 14_400, 18_000, 21_600, 21_600),
  /** The most milliseconds that a mail server may be silent in one phase of SMTP. */
  smtpMs: 30_000,
  /** The most milliseconds for all downloads of one payload together: as long as a request may take. */
  downloadMs: 30_000,
  /** The milliseconds for which a blob without a task is kept: longer than any request should take. */
  blobGraceMs: 86_400_000,
};
export type TestOptions = Readonly<typeof constants>;

/** The configuration of the service, read once from the environment. */
export interface Config extends ValuesOf<typeof settings>, TestOptions {
  readonly host: string;
  readonly poolSize: number;
  readonly drainMs: number;
  /** The URL to which OpenTelemetry sends traces (OTLP over HTTP). If absent, traces are off. */
  readonly tracesUrl: string | undefined;
  /** The URL of the embedded PostgreSQL that the parent process runs, if any. */
  readonly embeddedUrl: string | undefined;
  /** The identity provider for sign-in to the console, if any. Sign-in links work as well. */
  readonly oidc: OidcConfig | undefined;
  /** Maps names of variables, without the prefix `WTS_SECRET_`, to secrets of workspaces. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Probable mistakes in the environment that do not prevent the start. */
  readonly warnings: readonly string[];
}

/** Reads the configuration. Throws one error with all faults. */
export function readConfig(given: Environment = process.env): Config {
  const faults: string[] = [];
  const environment = withFiles(given, faults);
  const own = valuesOf(settings, environment, faults);
  const oidc = valuesOf(oidcSettings, environment, faults);
  const options = valuesOf({ testOptions }, environment, faults).testOptions;
  if (own.ephemeral && own.databaseUrl !== undefined)
    faults.push('WTS_EPHEMERAL must not be 1 if DATABASE_URL is set');
  for (const name of ['WTS_CLOCK', testOptions.name])
    if (environment[name] && !own.isTest) faults.push(`${name} must not be set without WTS_TEST_MODE=1: it is for tests`); // prettier-ignore
  const ofOidc = namesOf(oidcSettings);
  if (new Set(ofOidc.map((name) => Boolean(environment[name]))).size > 1)
    faults.push(`${ofOidc.join(', ')} belong together: set all or none`);
  if (own.smtpUrl?.startsWith('smtp') && !environment['WTS_MAIL_FROM'])
    faults.push('WTS_MAIL_FROM must be set if WTS_SMTP_URL names a mail server');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return Object.freeze({
    ...own,
    ...constants,
    ...options,
    publicUrl: own.publicUrl?.replace(/\/+$/, ''),
    // Without a configured database, somebody is probably trying out the service on this machine.
    host: own.ownHost ?? (own.databaseUrl === undefined ? '127.0.0.1' : '::'),
    poolSize: own.ownPoolSize ?? poolSizeFor(own.processes),
    // A worker, or a service that somebody is trying out, has no load balancer in front of it.
    drainMs: own.ownDrainMs ?? (own.databaseUrl === undefined || own.role === 'worker' ? 0 : 5000),
    tracesUrl: own.collectorUrl && `${own.collectorUrl.replace(/\/$/, '')}/v1/traces`,
    embeddedUrl: cluster.isWorker ? environment[embeddedUrl] : undefined,
    oidc: oidc.issuer === '' ? undefined : oidc,
    secrets: secretsIn(environment),
    warnings: [
      ...(own.isOutboundOn ? [] : ['WTS_OUTBOUND is off: webhooks, mail, chat, calls and schedules wait']),
      ...unknownSettings(environment),
    ],
  });
}

/** PostgreSQL allows 100 connections by default, so each of many processes takes fewer. */
const poolSizeFor = (processes = 1): number => Math.min(20, Math.max(5, Math.floor(80 / processes)));

const namesOf = (group: Readonly<Record<string, { readonly name: string }>>): string[] =>
  Object.values(group).map(({ name }) => name);

function valuesOf<Settings extends Readonly<Record<string, Setting<unknown>>>>(
  group: Settings,
  environment: Environment,
  faults: string[],
): ValuesOf<Settings> {
  const read = ({ name, wanted, parse, fallback }: Setting<unknown>): unknown => {
    const text = environment[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) faults.push(`${name} must be ${wanted}${notThis(name, text)}`);
    return value ?? fallback;
  };
  return Object.fromEntries(
    Object.entries(group).map(([key, each]) => [key, read(each)]),
  ) as ValuesOf<Settings>;
}

/** The rejected value, unless it may contain a password. */
const notThis = (name: string, text: string): string =>
  mayBeFile(name) || /:\/\/|@/.test(text) ? '' : `, not ${quote(text)}`;

const secretPrefix = 'WTS_SECRET_';
const fromFiles = ['DATABASE_URL', 'REDIS_URL', 'WTS_OIDC_CLIENT_SECRET', 'WTS_SMTP_URL'];

/** Whether a file may hold the value of a setting. This is so for secrets and URLs with a password. */
const mayBeFile = (name: string): boolean => fromFiles.includes(name) || name.startsWith(secretPrefix);

/**
 * Adds values from files to the environment: `NAME_FILE` is the path of a file with the value of `NAME`, as
 * Docker and Kubernetes mount secrets. Drops line breaks at the end of a file. Faults do not quote paths,
 * because a path may be a secret that was set by mistake.
 */
function withFiles(given: Environment, faults: string[]): Environment {
  const values: [string, string][] = [];
  for (const [variable, path] of Object.entries(given)) {
    const name = variable.replace(/_FILE$/, '');
    if (name === variable || !path || !mayBeFile(name)) continue;
    if (given[name]) faults.push(`${name} and ${variable} must not both be set`);
    else
      try {
        values.push([name, readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')]);
      } catch (error) {
        faults.push(`${variable} must be a file that can be read (${String(Reflect.get(Object(error), 'code'))})`); // prettier-ignore
      }
  }
  for (const [name, value] of values)
    if (value === '') faults.push(`${name}_FILE must be a file with a value`);
  // Copies only if necessary: on Windows, `process.env` ignores the case of names, but a copy does not.
  return values.length === 0 ? given : { ...given, ...Object.fromEntries(values) };
}

function secretsIn(environment: Environment): ReadonlyMap<string, string> {
  const entries = Object.entries(environment).filter(
    ([name]) => name.startsWith(secretPrefix) && !name.endsWith('_FILE'),
  );
  return new Map(entries.map(([name, value = '']) => [name.slice(secretPrefix.length), value]));
}

/** A sentence for each variable that looks like a setting of the service but is unknown. */
function unknownSettings(environment: Environment): string[] {
  const names = [...namesOf(settings), ...namesOf(oidcSettings), testOptions.name];
  const known = [...names, ...fromFiles.map((name) => `${name}_FILE`)];
  return Object.keys(environment)
    .filter((name) => name.startsWith('WTS_') && !known.includes(name) && !others.test(name))
    .sort()
    .map((name) => `${name} is not a setting of this service${didYouMean(name, known, 'WTS_')}`);
}

/** These are not settings: secrets, and variables for child processes, commands, the guide or tests. */
const others = /^WTS_(SECRET_.*|EMBEDDED_URL|AUTHOR|HOME|URL|KEY|TEST_.*|FAULTS|SABOTAGE|PATCHES)$/;

/**
 * Reads the configuration of a service for tests, with throw-away data and this port. Ignores the database,
 * queue, store, role and public URL in the environment. By default, the log is silent.
 */
export function readThrowAwayConfig(port: number, environment: Environment = process.env): Config {
  const left = ['DATABASE_URL', 'REDIS_URL', 'PUBLIC_URL', 'WTS_BLOB_STORE', 'WTS_ROLE'];
  const own = Object.entries(environment).filter(([name]) => !left.includes(name.replace(/_FILE$/, '')));
  return readConfig({
    WTS_LOG_LEVEL: 'silent',
    ...Object.fromEntries(own),
    PORT: String(port),
    WTS_EPHEMERAL: '1',
  });
}

/** The folder in which the user typed the command. `npm run wts` itself changes to the project's folder. */
export function callerFolder(environment: Environment = process.env): string {
  const isByNpm = environment['npm_lifecycle_event'] === 'wts';
  return (isByNpm ? environment['INIT_CWD'] : undefined) ?? process.cwd();
}

/** The variable that passes the URL of the embedded PostgreSQL to child processes. Users do not set it. */
export const embeddedUrl = 'WTS_EMBEDDED_URL';

export const CONFIG = Symbol('config');
