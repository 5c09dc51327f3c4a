import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Temporal } from 'temporal-polyfill';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { reasonOf } from '../errors.js';
import { functionsText } from '../database/functions.js';
import { sharedBy } from '../database/shared-data-source.js';
import { type Logger, LOGGER } from '../logger.js';
import { excerpt } from '../wording.js';

const PAUSE_MS = 200;

/** Moves the time of the service ahead by the duration in a file, for tests (`WTS_CLOCK`). */
@Injectable()
export class TimeFile implements OnModuleInit, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private moving: Promise<void> | undefined;
  private text: string | undefined;
  private complaint: string | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    const { timeFile } = this.config;
    if (timeFile === undefined) return;
    await this.follow(timeFile);
    this.timer = setInterval(() => {
      this.moving ??= this.follow(timeFile)
        .then(() => { this.complaint = undefined; })
        .catch((error: unknown) => { this.complain(error); })
        .finally(() => (this.moving = undefined)); // prettier-ignore
    }, PAUSE_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.moving;
  }

  private async follow(file: string): Promise<void> {
    const text = (await readFile(resolve(file), 'utf8').catch(refuseFile)).trim();
    if (text === this.text) return;
    const aheadMs = millisecondsOfIso(text);
    if (aheadMs === undefined)
      throw new Error(
        `The file of WTS_CLOCK must hold an ISO 8601 duration such as P3DT2H, not ${excerpt(text)}`,
      );
    await this.dataSource.transaction((tx) => moveDatabase(tx, aheadMs));
    sharedBy(this.dataSource.manager).aheadMs = aheadMs;
    this.text = text;
  }

  /** Logs each new error. The service's time stays unchanged: a test may be writing the file. */
  private complain(error: unknown): void {
    if (String(error) !== this.complaint)
      this.logger.warn({ err: error }, 'the time of the service is not changed');
    this.complaint = String(error);
  }
}

function refuseFile(cause: unknown): never {
  throw new Error(`The file of WTS_CLOCK cannot be read: ${reasonOf(cause)}`, { cause });
}

/** Converts an ISO 8601 duration in days, hours, minutes or seconds to milliseconds; undefined if invalid. */
export function millisecondsOfIso(text: string): number | undefined {
  try {
    return Math.round(Temporal.Duration.from(text).total('milliseconds'));
  } catch {
    return undefined;
  }
}

/**
 * Redefines `service_now`, so that all processes share the time, even through a connection pooler. The
 * comment on the function tells other processes the current offset. A start without `WTS_CLOCK` restores the
 * function.
 */
async function moveDatabase(tx: EntityManager, aheadMs: number): Promise<void> {
  const mark = `ahead by ${aheadMs} ms`;
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('service_now'))`);
  const [made] = await tx.query<{ comment: string | null }[]>(readComment);
  if (made?.comment === mark) return;
  const text = await functionsText('time');
  await tx.query(text.replace('RETURN at', `RETURN at + interval '${aheadMs} milliseconds'`));
  await tx.query(`COMMENT ON FUNCTION service_now IS '${mark}'`);
}

const readComment = `SELECT obj_description('service_now(timestamptz)'::regprocedure, 'pg_proc') AS comment`;
