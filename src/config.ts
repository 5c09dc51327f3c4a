import cluster from 'node:cluster';
import { type LogLevel } from './lib/logger.js';
import { type Background, readBackground } from './lib/pause.js';
import {
  blobStore,
  clockTime,
  flagSetting,
  host,
  httpUrl,
  issuer,
  mailAddress,
  networks,
  origins,
  oneLine,
  postgresUrl,
  processCount,
  redisUrl,
  seconds,
  smtpUrl,
  taskUrl,
  tracesUrlOf,
  wholeNumber,
} from './lib/setting-values.js';
import { quote } from './lib/quote.js';
import { withSecretsFromFiles } from './lib/settings-from-files.js';
import { unknownSettings } from './lib/unknown-settings.js';

/** Every setting of the service, read once from the environment. */
export interface Config {
  /** How many processes share the port; absent: one, without supervision. */
  readonly processes: number | undefined;
  /** Where to listen; 0 takes any free port. */
  readonly port: number;
  /** The address to listen on; `::` stands for all addresses of the machine. */
  readonly host: string;
  /** The address of the service for others, without a slash at its end; absent if it is not set. */
  readonly publicUrl: string | undefined;
  /** Template of `Task URL`, in which `{workflow}` and `{task}` stand for the ids; absent if it is not set. */
  readonly taskUrl: string | undefined;
  /** PostgreSQL; absent means the embedded one in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** The PostgreSQL for LISTEN; absent: that of `databaseUrl`. */
  readonly listenUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  /** The embedded PostgreSQL that the parent process runs, if it does. */
  readonly embeddedUrl: string | undefined;
  /** A throw-away embedded database instead of the one in `dataDir`. */
  readonly ephemeral: boolean;
  readonly poolSize: number;
  /** Threads of Node.js for files and for DNS lookups. */
  readonly threads: number;
  /** The most milliseconds for one statement; 0 sets no limit. */
  readonly statementMs: number;
  /** The most milliseconds that a transaction may be idle; 0 sets no limit. */
  readonly idleTransactionMs: number;
  /** The address for OpenTelemetry's traces (OTLP over HTTP); absent: no traces. */
  readonly tracesUrl: string | undefined;
  /** The most milliseconds of a request, from the end of its body to its answer. */
  readonly requestMs: number;
  /** Requests of one key in a minute; 0 sets no limit. */
  readonly rateLimit: number;
  /** The origins whose pages may use the service in a browser (CORS). */
  readonly corsOrigins: readonly string[];
  /** What agents may do over MCP. */
  readonly mcp: McpUse;
  /** Whether the service has a console for people. */
  readonly hasConsole: boolean;
  /** What the pages call the service. */
  readonly serviceName: string;
  /** The identity provider for the console, in addition to links; absent: none. */
  readonly oidc: OidcConfig | undefined;
  /** Networks (CIDR) of the proxies that are trusted to report the address of a client. */
  readonly trustedProxies: readonly string[];
  /** The port of /metrics; absent: not served. */
  readonly metricsPort: number | undefined;
  /** The most bytes of a body on task routes. */
  readonly maxBodyBytes: number;
  /** The most bytes of all bodies that are being read at once. */
  readonly maxBodiesBytes: number;
  /** The most bytes of one attachment. */
  readonly maxFileBytes: number;
  /** The store of attachments: `s3://bucket/prefix`, or a folder; absent: a folder in `dataDir`. */
  readonly blobStore: string | undefined;
  /** The S3-compatible service of an `s3://` store; absent: Amazon's. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string;
  /** Milliseconds for which a blob without a task is kept. */
  readonly blobGraceMs: number;
  /** The most milliseconds for all downloads of one payload together. */
  readonly downloadMs: number;
  /** Whether anything leaves for others: webhooks, mail, chat, calls, downloads and what schedules start. */
  readonly isOutboundOn: boolean;
  /** Networks (CIDR), beyond the public ones, to which the service may connect for its clients. */
  readonly outboundAllow: readonly string[];
  /** Milliseconds between reporting not ready and closing the port, so that load balancers notice. */
  readonly drainMs: number;
  /** Milliseconds for which a worker holds a claimed execution, unless it renews its lease. */
  readonly leaseMs: number;
  /** A rung of a clock that is found more than this many milliseconds late is missed. */
  readonly lateLimitMs: number;
  /** Milliseconds after its first claim, or after its POST if it was never claimed, at which an execution fails. */
  readonly executionMs: number;
  readonly unclaimedMs: number;
  /** Days for which ended executions are kept. */
  readonly executionDays: number;
  /** Days for which events are kept; absent: for ever. */
  readonly eventDays: number | undefined;
  /** Milliseconds before each try of a webhook's delivery; the first counts from the event. */
  readonly webhookDelaysMs: readonly number[];
  /** Milliseconds before each try to send a message; the first counts from the execution. */
  readonly messageDelaysMs: readonly number[];
  /** The mail server or folder: `smtp://`, `smtps://`, or `file:` and a folder; absent: no mail. */
  readonly smtpUrl: string | undefined;
  /** The most milliseconds without an answer of the mail server. */
  readonly smtpMs: number;
  /** Milliseconds from a notification to the mail about it, if it is unread until then. */
  readonly mailWindowMs: number;
  /** The time of the digest by its reader's clock, in milliseconds since midnight. */
  readonly mailDigestMs: number;
  /** The sender of mail: an address, optionally with a name in front. */
  readonly mailFrom: string;
  /** Whether this process answers requests (`api`), resolves executions (`worker`) or both. */
  readonly role: Role;
  /** Secrets of workspaces by the names of their variables, without the prefix. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The author in the history of definitions; absent: the user of the operating system. */
  readonly author: string | undefined;
  readonly logLevel: LogLevel;
  /** The file that says how far the service's time is ahead, for tests; absent: not at all. */
  readonly clockFile: string | undefined;
  /** Whether background work starts by itself, or only when a test asks for it (`JobRunner.settle`). */
  readonly background: Background;
  /** Probable mistakes in the environment that do not prevent the start. */
  readonly warnings: readonly string[];
}

/** An identity provider, and the service's registration with it. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

const mcpUses = ['off', 'read', 'on'] as const;
export type McpUse = (typeof mcpUses)[number];

const logLevels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The environment, which only `config.ts` may read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration; throws one error that names every fault. */
export function readConfig(given: Environment = process.env): Config {
  const { environment, faults: ofFiles } = withSecretsFromFiles(given, mayBeFile);
  const faults: string[] = [...ofFiles];
  const known: string[] = [];
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, wanted: string): T => {
    known.push(name, ...(mayBeFile(name) ? [`${name}_FILE`] : []));
    const text = environment[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) faults.push(`${givenAs(name, given)} must be ${wanted}${notThis(name, text)}`);
    return value ?? fallback;
  };
  const port = read('PORT', 3000, wholeNumber(0, 65_535), 'a port');
  const readOptional = <T>(
    name: string,
    parse: (text: string) => T | undefined,
    wanted: string,
  ): T | undefined => read<T | undefined>(name, undefined, parse, wanted);
  const readPostgresUrl = (name: string): string | undefined =>
    readOptional(name, postgresUrl, `a postgres:// URL, ${encoded}`);
  const databaseUrl = readPostgresUrl('DATABASE_URL');
  const processes = read('WTS_PROCESSES', undefined, processCount, 'auto, or a number from 1 to 256');
  const ephemeral = read('WTS_EPHEMERAL', false, flagSetting, '1 or 0');
  const workerRole = read<Role>('WTS_ROLE', 'all', role, `one of ${roles.join(', ')}`);
  const oidc = {
    issuer: read('WTS_OIDC_ISSUER', '', issuer, 'an https URL, or http of localhost, without ? and #'),
    clientId: read('WTS_OIDC_CLIENT_ID', '', oneLine, 'one line of 1 to 100 characters'),
    clientSecret: read('WTS_OIDC_CLIENT_SECRET', '', (text) => text, 'a secret'),
  };
  const isTest = read('WTS_TEST_MODE', false, flagSetting, '1 or 0');
  const config = {
    processes,
    port,
    // Without a configured database, somebody is trying the service out on this machine.
    host: read('WTS_HOST', databaseUrl === undefined ? '127.0.0.1' : '::', host, 'an address or a host name'),
    publicUrl: readOptional('PUBLIC_URL', httpUrl, 'an http(s) URL')?.replace(/\/+$/, ''),
    taskUrl: readOptional('WTS_TASK_URL', taskUrl, 'an http(s) URL with {task} in it'),
    databaseUrl,
    embeddedUrl: cluster.isWorker ? environment[embeddedUrl] : undefined,
    listenUrl: readPostgresUrl('WTS_LISTEN_URL'),
    redisUrl: readOptional('REDIS_URL', redisUrl, `a redis:// URL, ${encoded}`),
    dataDir: read('WTS_DATA_DIR', './.data', (text) => text, 'a folder'),
    ephemeral,
    threads: read('UV_THREADPOOL_SIZE', 4, wholeNumber(1, 1024), 'a number from 1 to 1024'),
    poolSize: read('WTS_POOL_SIZE', poolSizeFor(processes), wholeNumber(2, 1000), 'a number from 2 to 1000'),
    statementMs: read('WTS_STATEMENT_MS', 30_000, wholeNumber(0, 3_600_000), 'milliseconds, at most 3600000'),
    idleTransactionMs: read(
      'WTS_IDLE_TRANSACTION_MS',
      10_000,
      wholeNumber(0, 3_600_000),
      'milliseconds, at most 3600000',
    ),
    requestMs: read(
      'WTS_REQUEST_MS',
      30_000,
      wholeNumber(100, 3_600_000),
      'milliseconds from 100 to 3600000',
    ),
    tracesUrl: tracesUrlOf(
      environment,
      readOptional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl, 'an http(s) URL'),
      readOptional('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl, 'an http(s) URL'),
    ),
    rateLimit: read('WTS_RATE_LIMIT', 0, wholeNumber(0, 10 ** 9), 'a number of requests'),
    corsOrigins: read<readonly string[]>(
      'WTS_CORS_ORIGINS',
      [],
      origins,
      'origins as browsers send them, such as https://app.example.com, separated by commas',
    ),
    mcp: read<McpUse>('WTS_MCP', 'read', mcpUse, `one of ${mcpUses.join(', ')}`),
    hasConsole: read('WTS_CONSOLE', true, onOrOff, 'on or off'),
    serviceName: read(
      'WTS_CONSOLE_NAME',
      'Workflow Task Service',
      oneLine,
      'one line of 1 to 100 characters',
    ),
    oidc: oidc.issuer === '' ? undefined : oidc,
    trustedProxies: read<readonly string[]>('WTS_TRUSTED_PROXIES', [], networks, someNetworks),
    metricsPort: readOptional('WTS_METRICS_PORT', wholeNumber(0, 65_535), 'a port'),
    maxBodyBytes: read(
      'WTS_MAX_BODY_BYTES',
      8 * mebibyte,
      wholeNumber(1, 1024 * mebibyte),
      'a number of bytes',
    ),
    maxBodiesBytes: read('WTS_MAX_BODIES_BYTES', 64 * mebibyte, wholeNumber(1, 2 ** 40), 'a number of bytes'),
    maxFileBytes: read(
      'WTS_MAX_FILE_BYTES',
      25 * mebibyte,
      wholeNumber(1, 1024 * mebibyte),
      'a number of bytes',
    ),
    blobStore: readOptional('WTS_BLOB_STORE', blobStore, 'a folder or s3://bucket/prefix'),
    s3Endpoint: readOptional('WTS_S3_ENDPOINT', httpUrl, 'an http(s) URL'),
    s3Region: read('WTS_S3_REGION', 'us-east-1', (text) => text, 'a region'),
    blobGraceMs: read('WTS_BLOB_GRACE_MS', 86_400_000, wholeNumber(1, 10 ** 12), 'a number of milliseconds'),
    downloadMs: read('WTS_DOWNLOAD_MS', 30_000, wholeNumber(1, 600_000), 'milliseconds, at most 600000'),
    isOutboundOn: read('WTS_OUTBOUND', true, onOrOff, 'on or off'),
    outboundAllow: read<readonly string[]>('WTS_OUTBOUND_ALLOW', [], networks, someNetworks),
    drainMs: read(
      'WTS_DRAIN_MS',
      // No load balancer is in front of these.
      databaseUrl === undefined || workerRole === 'worker' ? 0 : 5000,
      wholeNumber(0, 60_000),
      'milliseconds, at most 60000',
    ),
    leaseMs: read('WTS_LEASE_MS', 15_000, wholeNumber(100, 600_000), 'milliseconds from 100 to 600000'),
    lateLimitMs: read('WTS_LATE_LIMIT', 604_800, wholeNumber(1, 10 ** 9), 'a number of seconds') * 1000,
    executionMs: read('WTS_EXECUTION_MS', 300_000, wholeNumber(100, 10 ** 9), 'a number of milliseconds'),
    unclaimedMs: read('WTS_UNCLAIMED_MS', 86_400_000, wholeNumber(100, 10 ** 12), 'a number of milliseconds'),
    eventDays: readOptional('WTS_EVENT_DAYS', wholeNumber(1, 100_000), 'a number of days'),
    executionDays: read('WTS_EXECUTION_DAYS', 90, wholeNumber(1, 100_000), 'a number of days'),
    webhookDelaysMs: read<readonly number[]>(
      'WTS_WEBHOOK_DELAYS',
      [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      seconds,
      '1 to 50 numbers of seconds, each at most 604800, separated by commas',
    ).map((delay) => delay * 1000),
    messageDelaysMs: read<readonly number[]>(
      'WTS_MESSAGE_DELAYS',
      [0, 60, 300, 900, 3600, 7200, 14_400, 18_000, 21_600, 21_600],
      seconds,
      '1 to 50 numbers of seconds, each at most 604800, separated by commas',
    ).map((delay) => delay * 1000),
    smtpUrl: readOptional(
      'WTS_SMTP_URL',
      smtpUrl,
      `an smtp:// or smtps:// URL, ${encoded}, or file: and a folder`,
    ),
    smtpMs: read('WTS_SMTP_MS', 30_000, wholeNumber(100, 600_000), 'milliseconds from 100 to 600000'),
    mailWindowMs: read('WTS_MAIL_WINDOW', 300, wholeNumber(0, 86_400), 'seconds, at most 86400') * 1000,
    mailDigestMs: read('WTS_MAIL_DIGEST', 8 * 3_600_000, clockTime, 'a time of day such as 08:00'),
    mailFrom: read(
      'WTS_MAIL_FROM',
      'wts@localhost',
      mailAddress,
      'one address such as "Acme, Inc." <wts@acme.test>',
    ),
    role: workerRole,
    author: readOptional('WTS_AUTHOR', oneLine, 'one line of 1 to 100 characters'),
    secrets: secretsIn(environment),
    clockFile: readOptional('WTS_CLOCK', (text) => text, 'a file'),
    background: read<Background>('WTS_BACKGROUND', 'always', readBackground, 'always or asked'),
    logLevel: read<LogLevel>('WTS_LOG_LEVEL', 'info', logLevel, `one of ${logLevels.join(', ')}`),
  };
  if (config.ephemeral && config.databaseUrl !== undefined)
    faults.push('WTS_EPHEMERAL must not be 1 if DATABASE_URL is set');
  if (config.clockFile !== undefined && !isTest)
    faults.push('WTS_CLOCK must not be set without WTS_TEST_MODE=1: it moves the time of tasks, for tests');
  if (config.background === 'asked' && !isTest)
    faults.push('WTS_BACKGROUND must not be asked without WTS_TEST_MODE=1: no background work would start');
  const areSet = oidcSettings.map((name) => Boolean(environment[name]));
  if (new Set(areSet).size > 1) faults.push(`${oidcSettings.join(', ')} belong together: set all or none`);
  if (config.smtpUrl?.startsWith('smtp') && !environment['WTS_MAIL_FROM'])
    faults.push('WTS_MAIL_FROM must be set if WTS_SMTP_URL names a mail server');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const held = config.isOutboundOn
    ? []
    : ['WTS_OUTBOUND is off: webhooks, mail, chat, calls and schedules wait'];
  return Object.freeze({ ...config, warnings: [...held, ...unknownSettings(environment, known)] });
}

/**
 * The configuration of a service for tests: throw-away data and this port, whatever database, store or queue the
 * environment configures. Other settings are read as usual; the log is silent by default.
 */
export function readThrowAwayConfig(port: number, environment: Environment = process.env): Config {
  const others = [...postgresUrls, 'REDIS_URL', 'PUBLIC_URL', 'WTS_BLOB_STORE', 'WTS_ROLE'];
  const own = Object.entries(environment).filter(([name]) => !others.includes(name.replace(/_FILE$/, '')));
  return readConfig({
    WTS_LOG_LEVEL: 'silent',
    ...Object.fromEntries(own),
    PORT: String(port),
    WTS_EPHEMERAL: '1',
  });
}

/** The folder in which a command was typed: `npm run wts` runs it in the project's folder. */
export function callerFolder(environment: Environment = process.env): string {
  const isByNpm = environment['npm_lifecycle_event'] === 'wts';
  return (isByNpm ? environment['INIT_CWD'] : undefined) ?? process.cwd();
}

const mebibyte = 2 ** 20;
const someNetworks = 'networks such as 10.1.0.0/16, or addresses such as 127.0.0.1';
const encoded = 'with @ / : ? # % in its password written as %40 %2F %3A %3F %23 %25';

const onOrOff = (text: string): boolean | undefined => ({ on: true, off: false })[text];
const role = (text: string): Role | undefined => roles.find((role) => role === text);
const mcpUse = (text: string): McpUse | undefined => mcpUses.find((use) => use === text);
const logLevel = (text: string): LogLevel | undefined => logLevels.find((level) => level === text);

const secretPrefix = 'WTS_SECRET_';

const oidcSettings = ['WTS_OIDC_ISSUER', 'WTS_OIDC_CLIENT_ID', 'WTS_OIDC_CLIENT_SECRET'];
const postgresUrls = ['DATABASE_URL', 'WTS_LISTEN_URL'];
const fromFiles = [...postgresUrls, 'REDIS_URL', 'WTS_OIDC_CLIENT_SECRET', 'WTS_SMTP_URL'];

/** Whether a setting may come from a file: those that contain a password, or are one. */
const mayBeFile = (name: string): boolean => fromFiles.includes(name) || name.startsWith(secretPrefix);

/** The variable that sets a value: its own, or that of its file. */
function givenAs(name: string, given: Environment): string {
  return given[name] || !mayBeFile(name) ? name : `${name}_FILE`;
}

/** The rejected value, unless it may contain a password. */
const notThis = (name: string, text: string): string =>
  mayBeFile(name) || /:\/\/|@/.test(text) ? '' : `, not ${quote(text)}`;

function secretsIn(environment: Environment): ReadonlyMap<string, string> {
  const entries = Object.entries(environment).filter(
    ([name]) => name.startsWith(secretPrefix) && !name.endsWith('_FILE'),
  );
  return new Map(entries.map(([name, value = '']) => [name.slice(secretPrefix.length), value]));
}

/** Tells child processes the address of the embedded PostgreSQL; not a setting for users. */
export const embeddedUrl = 'WTS_EMBEDDED_URL';

/** PostgreSQL allows 100 connections by default, so with many processes each takes fewer. */
const poolSizeFor = (processes = 1): number => Math.min(20, Math.max(5, Math.floor(80 / processes)));

/** The injection token of the configuration. */
export const CONFIG = Symbol('config');
