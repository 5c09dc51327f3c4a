import { type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { type Metrics } from './metrics.js';

/** Sends the metrics of this process to the first process whenever it asks. */
export function answerForMetrics(metrics: Metrics): void {
  process.on('message', (message) => {
    // If the first process is gone, nothing reads them.
    if (message === ASK) tellMetrics(metrics).catch(() => undefined);
  });
}

/** Sends the metrics of this process to the first process; resolves when they are sent. */
export async function tellMetrics(metrics: Metrics): Promise<void> {
  const values = await metrics.values();
  await new Promise<void>((done) => {
    process.send?.({ [TOLD]: values }, undefined, undefined, () => { done(); }); // prettier-ignore
  });
}

const ASK = 'metrics?';
const TOLD = 'metrics';

/** The sum of the metrics of several processes; counters of ended processes are kept. */
export class SummedMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly told = new Map<ChildProcess, readonly object[]>();
  private ofEnded: readonly object[] = [];
  private leaving: Promise<void> = Promise.resolve();
  private underWay: Promise<string> | undefined;

  /** Includes a process until it ends. */
  add(child: ChildProcess): void {
    this.told.set(child, []);
    child.on('message', (message) => {
      const values: unknown = Reflect.get(Object(message), TOLD);
      if (Array.isArray(values)) this.told.set(child, values.filter(isObject));
    });
    child.once('exit', () => {
      this.leave(child);
    });
  }

  /** All metrics as text. */
  async text(): Promise<string> {
    return (this.underWay ??= this.sum().finally(() => (this.underWay = undefined)));
  }

  private async sum(): Promise<string> {
    await Promise.all([...this.told.keys()].map((child) => this.ask(child)));
    await this.leaving;
    const registry = sumOf([...this.told.values(), this.ofEnded]);
    const gauge = { name: 'wts_processes', help: 'Processes that share the port.', registers: [registry] };
    new Gauge(gauge).set(this.told.size);
    return registry.metrics();
  }

  /** Asks a process for its metrics, and waits for them up to the timeout. */
  private async ask(child: ChildProcess): Promise<void> {
    const answered = new AbortController();
    const hear = (message: unknown): void => {
      if (isObject(message) && TOLD in message) answered.abort();
    };
    const end = (): void => {
      answered.abort();
    };
    child.on('message', hear).once('exit', end);
    if (child.connected) child.send(ASK);
    else end();
    await pause(ASK_TIMEOUT_MS, undefined, { signal: answered.signal }).catch(() => undefined);
    child.off('message', hear).off('exit', end);
  }

  /** Keeps the counters of an ended process: sums that fall would look like a restart. */
  private leave(child: ChildProcess): void {
    const counted = this.told.get(child)?.filter(isCounted) ?? [];
    this.told.delete(child);
    this.leaving = this.leaving.then(async () => {
      this.ofEnded = await sumOf([this.ofEnded, counted]).getMetricsAsJSON();
    });
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isCounted = (metric: object): boolean =>
  ['counter', 'histogram'].includes(String(Reflect.get(metric, 'type')));

function sumOf(all: readonly (readonly object[])[]): Registry {
  return AggregatorRegistry.aggregate(all.map((each) => [...each]));
}

/** Slightly more than reading a gauge may take; for a process that is busy for longer, its last values count. */
const ASK_TIMEOUT_MS = 1500;
