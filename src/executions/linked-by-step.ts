import { type Link } from '../schema/link.js';
import { type Workflow } from '../workflows/workspace.js';
import { StepFailed } from './step-failed.js';

interface LinkedStep {
  readonly relationship: string;
  readonly side?: 'from' | 'to';
}

/** The side of a relationship that a step reaches from its task. */
export function linkOfStep(workflow: Workflow, step: LinkedStep): Link {
  const link = findLinkOfStep(workflow, step);
  if (!link) throw new StepFailed(`there is no relationship ${step.relationship}`);
  return link;
}

/** The same; undefined where there is none. */
export function findLinkOfStep({ schema }: Workflow, { relationship, side }: LinkedStep): Link | undefined {
  const signs = side === undefined ? ['>', '<'] : [side === 'from' ? '>' : '<'];
  return signs.map((sign) => schema.links.get(sign + relationship)).find((link) => link !== undefined);
}
