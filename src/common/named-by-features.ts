import { type ApiPropertyOptions } from '@nestjs/swagger';

/** The names that a feature adds to the lists of all features. */
export interface FeatureNames {
  readonly eventTypes?: readonly string[];
  /** The event types that only administrators see. */
  readonly adminEventTypes?: readonly string[];
  readonly eventData?: Readonly<Record<string, ApiPropertyOptions>>;
  /** A kind of object that starts actions, such as `rule`, if the feature adds one. */
  readonly runKind?: string;
}

// features.ts fills these lists before anything reads them. Decorators of the API already refer to the empty
// lists.

export const eventTypes: string[] = [];

export const adminEventTypes: string[] = [];

export const eventData: Record<string, ApiPropertyOptions> = {};

/** The kinds of starters of actions, except people and clients. */
export const runKinds: string[] = [];

export const actorKinds = ['key', 'user', 'form', 'definition', 'system'];

export function nameAll(features: readonly FeatureNames[]): void {
  adminEventTypes.push(...features.flatMap((feature) => feature.adminEventTypes ?? []));
  eventTypes.push(...features.flatMap((feature) => feature.eventTypes ?? []));
  for (const feature of features) Object.assign(eventData, feature.eventData);
  runKinds.push(...features.flatMap(({ runKind }) => runKind ?? []));
  actorKinds.push(...runKinds);
}
