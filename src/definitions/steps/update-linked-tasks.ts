import { type StepKind } from '../step-kind.js';
import { checkLinked, readLinked, renameLinked } from './linked.js';

export const updateLinkedTasks: StepKind<'update_linked_tasks'> = {
  read: readLinked,
  check: checkLinked,
  rename: renameLinked,
};
