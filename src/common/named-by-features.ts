import { type ApiPropertyOptions } from '@nestjs/swagger';

/** Names that a feature declares for all others. */
export interface FeatureNames {
  readonly eventTypes?: readonly string[];
  /** Those of them that only administrators see. */
  readonly adminEventTypes?: readonly string[];
  readonly eventData?: Readonly<Record<string, ApiPropertyOptions>>;
  /** Its name as a starter of actions, such as `rule`; for a kind, the name of the kind. */
  readonly runKind?: string;
}

// features.ts fills these before they are read. API descriptions hold references to them from the start.

export const eventTypes: string[] = [];

export const adminEventTypes: string[] = [];

export const eventData: Record<string, ApiPropertyOptions> = {};

/** The kinds of starters other than people and clients. */
export const runKinds: string[] = [];

export const actorKinds = ['key', 'user', 'form', 'definition', 'system'];

export function nameAll(features: readonly FeatureNames[]): void {
  adminEventTypes.push(...features.flatMap((feature) => feature.adminEventTypes ?? []));
  eventTypes.push(...features.flatMap((feature) => feature.eventTypes ?? []));
  for (const feature of features) Object.assign(eventData, feature.eventData);
  runKinds.push(...features.flatMap(({ runKind }) => runKind ?? []));
  actorKinds.push(...runKinds);
}
