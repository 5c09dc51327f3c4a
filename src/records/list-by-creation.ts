import { type EntityManager } from 'typeorm';
import { type Workflow } from '../workflows/workspace.js';
import { accessPath } from './access-path.js';
import { probe } from './probe.js';
import { type Stretch, type StretchRows } from './stretch.js';
import { walk } from './walk.js';

/**
 * Finds the next tasks. Where an index can tell which tasks meet the conditions, and they are few, it does; else the
 * tasks are walked in order. A walk ends after some thousand tasks, so that no filter makes anybody wait for a walk through
 * all: the stretch may then be shorter than its limit, and yet have a next one.
 */
export async function listByCreation(
  db: EntityManager,
  workflow: Workflow,
  stretch: Stretch,
): Promise<StretchRows> {
  const path = accessPath(stretch.conditions);
  const probed = stretch.isWalked ? undefined : await probe(db, workflow, stretch, path);
  return probed ?? walk(db, workflow, stretch, path);
}
