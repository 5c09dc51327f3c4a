/** One side of a relationship, as the tasks of a workflow hold it under its name. */
export interface Link {
  readonly name: string;
  /** Tells this side from all others of the workspace: the relationship's id behind `>` at "from", `<` at "to". */
  readonly side: string;
  readonly relationshipId: string;
  readonly kind: LinkKind;
  /** Whether the tasks that hold it stand at the relationship's "from". */
  readonly isFrom: boolean;
  /** Whether a task may hold many tasks under it. */
  readonly isMultiple: boolean;
  /** Whether a task can be held by one other only. */
  readonly isExclusive: boolean;
  readonly otherWorkflowId: number;
}

export type LinkKind = 'one_to_one' | 'one_to_many' | 'many_to_one' | 'many_to_many';
