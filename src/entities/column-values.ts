/** What the status of an execution may be. */
export const executionStatuses = ['Pending', 'Success', 'Fail'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** What the kind of a relationship may be, read from its `from` to its `to`. */
export const relationshipKinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const;
export type RelationshipKind = (typeof relationshipKinds)[number];

/** How tasks get into a stage: by whatever names it, or by the steps of actions alone. */
export const waysIntoStages = ['freely', 'by_actions'] as const;
export type WayIntoStage = (typeof waysIntoStages)[number];
