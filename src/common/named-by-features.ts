/** Names that a feature declares for all others. */
export interface FeatureNames {
  /** The types of the events that it records. */
  readonly eventTypes?: readonly string[];
  /** Its name as a starter of actions: `rule`. A kind has its name here. The check of `runs.kind` must list it. */
  readonly runKind?: string;
}

// Arrays that features.ts fills before anybody reads them: descriptions of answers and definitions already refer to
// them while the service loads.

/** The types of all events. */
export const eventTypes: string[] = [];

/** The kinds of starters other than people and clients. */
export const runKinds: string[] = [];

/** The kinds of authors of changes. */
export const actorKinds = ['key', 'user', 'form', 'definition', 'system'];

/** Adds the names of features to the lists. */
export function nameAll(features: readonly FeatureNames[]): void {
  eventTypes.push(...features.flatMap((feature) => feature.eventTypes ?? []));
  runKinds.push(...features.flatMap(({ runKind }) => runKind ?? []));
  actorKinds.push(...runKinds);
}
