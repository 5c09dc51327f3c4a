import { type EntityManager } from 'typeorm';
import { type Condition } from '../../workflows/fields/condition.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Calendar } from '../../workflows/time/calendar.js';
import { type FigureStage } from './figure-stages.js';
import { type Series } from './figure.dto.js';

/** To add one, write it in `metrics/` and name it in `metrics.ts`. */
export interface Metric {
  readonly columns: readonly string[];
  /** The usual length of a bucket; absent if the figure has no buckets. */
  readonly interval?: 'day' | 'week';
  /** The first and the last day of the usual period, relative to today. */
  readonly period: readonly [from: number, to: number];
  definition(query: FigureQuery): string;
  read(db: EntityManager, query: FigureQuery): Promise<readonly Series[]>;
}

export interface FigureQuery {
  readonly scope: Scope;
  readonly now: Date;
  /** Empty if all tasks count, including deleted ones. */
  readonly conditions: readonly Condition[];
  /** The first day, YYYY-MM-DD. */
  readonly from: string;
  /** The day after the last one. */
  readonly to: string;
  readonly interval: 'day' | 'week';
  /** The first days of the buckets in the period, without those that lie in the future. */
  readonly buckets: readonly string[];
  readonly group: ListedProperty | undefined;
  /** By which working time is measured; undefined for elapsed time. */
  readonly calendar: Calendar | undefined;
  readonly hasImports: boolean;
  readonly stages: readonly FigureStage[];
}
