import { type Link } from '../schema/link.js';
import { type Workflow } from '../workflows/workspace.js';
import { StepFailed } from './step-failed.js';

/** The side of a relationship that a step reaches from its task. */
export function linkOfStep(
  { schema }: Workflow,
  { relationship, side }: { readonly relationship: string; readonly side?: 'from' | 'to' },
): Link {
  const sides = side === undefined ? ['>', '<'] : [side === 'from' ? '>' : '<'];
  for (const sign of sides) {
    const link = schema.links.get(sign + relationship);
    if (link) return link;
  }
  throw new StepFailed(`there is no relationship ${relationship}`);
}
