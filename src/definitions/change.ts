/** One difference between two definitions. */
export interface Change {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  /** `workspace`, `user`, `workflow`, `stage`, `field`, `checklist item`, `role`, `member`, `action`, `relationship`. */
  readonly what: string;
  /** `vendors / Tier`. */
  readonly name: string;
  readonly detail?: string;
}

/** A change as a line for people: `rename field vendors / Tier to Level`. */
export function renderChange({ kind, what, name, detail }: Change): string {
  if (kind === 'rename') return `rename ${what} ${name} to ${detail ?? ''}`;
  return `${kind} ${what} ${name}${detail === undefined ? '' : ` (${detail})`}`;
}
