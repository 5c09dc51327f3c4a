import {
  type Aggregator,
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceVersion } from '../version.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { poolOf } from '../database/data-source.js';
import { sql, type Statement } from '../database/sql.js';

/** Maps the values of a gauge's only label to numbers. A gauge without a label has one number. */
export type Reading = ReadonlyMap<string, number> | number;

/** A gauge of the whole database. Every process reports it, so the values must not be added up. */
export interface SharedGauge {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** Is called on each scrape. */
  readonly read: () => Promise<Reading>;
}

export type GaugesOfDatabase = (db: EntityManager) => readonly SharedGauge[];

export const GAUGES = Symbol('GAUGES');

/** The metrics of this process in the format of Prometheus; no label holds client data. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'wts_http_request_duration_seconds',
    help: 'The time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly errors = this.counter('wts_http_errors_total', 'Answers with a status of 500 or more.');
  readonly unread = this.counter(
    'wts_events_dropped_unread_total',
    'Chunks of up to 1,000 events that were dropped before all followers had processed them.',
  );

  /** Adds metrics of the version, processor, memory, event-loop lag and garbage collection. */
  measureProcess(): void {
    const running = { name: 'wts_build_info', help: 'The running version of the service.' };
    const registers = [this.registry];
    new Gauge({ ...running, labelNames: ['version'], aggregator: 'first', registers }).set({ version: serviceVersion }, 1); // prettier-ignore
    const processes = { name: 'wts_processes', help: 'Processes that share the port.', registers };
    new Gauge(processes).set(1);
    collectDefaultMetrics({ register: this.registry });
  }

  /** Sends metrics to the first process of a cluster, which combines the metrics of all processes. */
  tellFirstProcess(): void {
    AggregatorRegistry.setRegistries(this.registry);
    new AggregatorRegistry();
  }

  /** Counts an answered or aborted request under its route's template. */
  noteRequest(method: string, route: string, status: string, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
    if (status.startsWith('5')) this.errors.inc();
  }

  /**
   * Adds a gauge. Each scrape calls `read`, and omits the gauge if `read` fails. `of` says how to combine the
   * values of several processes.
   */
  addGauge(
    name: string,
    help: string,
    label: string | undefined,
    read: () => Reading | Promise<Reading>,
    of: Aggregator = 'sum',
  ): void {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      aggregator: of,
      registers: [this.registry],
      async collect() {
        const reading = await readOrNothing(read);
        this.reset();
        // For a gauge without a label, `reset` sets 0 instead of removing the value.
        if (label === undefined) this.remove();
        if (typeof reading === 'number') this.set(reading);
        else for (const [value, number] of reading) this.set({ [label ?? '']: value }, number);
      },
    });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  addSharedGauge({ name, help, label, read }: SharedGauge): void {
    this.addGauge(name, help, label, read, 'max');
  }

  async text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Reads a gauge. Returns no value if `read` fails or takes more than a second. */
async function readOrNothing(read: () => Reading | Promise<Reading>): Promise<Reading> {
  const none = new Map<string, number>();
  const found = async (): Promise<Reading> => read();
  return Promise.race([found().catch(() => none), pause(READ_TIMEOUT_MS, none, { ref: false })]);
}

const READ_TIMEOUT_MS = 1000;

@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, dataSource: DataSource, @Inject(GAUGES) gauges: GaugesOfDatabase) {
    // A scrape reads gauges in the order in which they were added. This gauge comes first, because the
    // others use connections themselves.
    const waiting = (): number => poolOf(dataSource).waitingCount;
    metrics.addGauge('wts_database_waiting', 'Work that waits for a connection.', undefined, waiting);
    for (const gauge of [sizeOf(dataSource.manager), ...gauges(dataSource.manager)])
      metrics.addSharedGauge(gauge);
  }
}

const sizeOf = (db: EntityManager): SharedGauge => ({
  name: 'wts_database_bytes',
  help: 'The size of the database.',
  read: async () => {
    const [row] = await sql<{ bytes: number }>(db, measureDatabase, []);
    return row?.bytes ?? new Map();
  },
});

const measureDatabase = {
  name: 'measure-database',
  scope: 'no workspace' as const,
  text: 'SELECT pg_database_size(current_database())::float8 AS bytes',
};

/** Runs a statement that counts rows by the value of a label. A value without rows has the count 0. */
export async function countBy(
  db: EntityManager,
  statement: Statement,
  values: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ value: string; count: number }>(db, statement, []);
  const counts = new Map(values.map((value) => [value, 0]));
  for (const { value, count } of rows) counts.set(value, count);
  return counts;
}

/**
 * Creates a gauge that counts the rows of a table by state. The gauge counts all rows in the first of
 * `states`. In the other states, the gauge counts only rows that ended in the last hour.
 */
export function gaugeOfStates(
  db: EntityManager,
  { name, help, table, column = 'state' }: StatesGauge,
  states: readonly [open: string, ...ended: string[]],
): SharedGauge {
  const statement = {
    name: `count-${table}`,
    scope: 'no workspace' as const,
    text: `
      SELECT ${column} AS value, count(*)::integer AS count FROM ${table}
      WHERE ${column} = '${states[0]}' OR (${column} <> '${states[0]}' AND finished_at > now() - interval '1 hour') GROUP BY ${column}`,
  };
  return { name, help, label: 'state', read: remembered(() => countBy(db, statement, states)) };
}

interface StatesGauge {
  readonly name: string;
  readonly help: string;
  readonly table: string;
  readonly column?: string;
}

/** Caches an answer, for 5 s by default; concurrent callers share one lookup. */
export function remembered<T>(find: () => Promise<T>, ms = 5000): () => Promise<T> {
  let last: Promise<T> | undefined;
  let foundAt = -Infinity;
  return () => {
    if (last && performance.now() - foundAt < ms) return last;
    foundAt = performance.now();
    return (last = find());
  };
}
