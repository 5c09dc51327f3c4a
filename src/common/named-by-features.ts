import { type ApiPropertyOptions } from '@nestjs/swagger';

/** The names that one feature adds to the lists in this file. */
export interface FeatureNames {
  readonly eventTypes?: readonly string[];
  /** The event types that only administrators see. */
  readonly adminEventTypes?: readonly string[];
  readonly eventData?: Readonly<Record<string, ApiPropertyOptions>>;
  /** The kind of object with which the feature starts actions, such as `rule`. Absent if there is none. */
  readonly runKind?: string;
}

// features.ts fills these lists before anything reads them. The lists are created earlier, because the
// decorators of the API refer to them.

export const eventTypes: string[] = [];

export const adminEventTypes: string[] = [];

export const eventData: Record<string, ApiPropertyOptions> = {};

/** The kinds of objects that start actions, such as `rule`. People and clients are not among them. */
export const runKinds: string[] = [];

export const actorKinds = ['key', 'user', 'form', 'definition', 'system'];

export function nameAll(features: readonly FeatureNames[]): void {
  adminEventTypes.push(...features.flatMap((feature) => feature.adminEventTypes ?? []));
  eventTypes.push(...features.flatMap((feature) => feature.eventTypes ?? []));
  for (const feature of features) Object.assign(eventData, feature.eventData);
  runKinds.push(...features.flatMap(({ runKind }) => runKind ?? []));
  actorKinds.push(...runKinds);
}
