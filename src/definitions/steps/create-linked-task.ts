import { type StepKind } from '../step-kind.js';
import { checkLinked, readLinked, renameLinked } from './linked.js';

export const createLinkedTask: StepKind<'create_linked_task'> = {
  read: readLinked,
  check: checkLinked,
  rename: renameLinked,
};
