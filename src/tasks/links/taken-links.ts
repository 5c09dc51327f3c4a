import { FieldErrors, InvalidFields } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type BareTask } from '../store/task-row.js';
import { type LinkPlan } from './plan-links.js';

/** Links would take tasks from these others, by their public ids, and the sender has not agreed to that. */
export class LinksTaken extends InvalidFields {
  constructor(
    { fields }: FieldErrors,
    readonly holders: readonly string[],
  ) {
    super(fields);
  }
}

/** Throws where a plan takes a task from another than these, by their public ids; all of them are locked. */
export function requireAgreed(
  { displaced }: LinkPlan,
  rows: ReadonlyMap<string, BareTask>,
  agreed: readonly string[],
): void {
  const errors = new FieldErrors();
  const holders = displaced.flatMap(({ link, other, rival }) => {
    const holder = rival.isSeen === false ? undefined : rows.get(rival.id);
    if (!holder || agreed.includes(holder.publicId)) return [];
    const id = rows.get(other.id)?.uniqueValue ?? '';
    errors.add(link.name, say`${id} is linked to ${holder.uniqueValue ?? holder.publicId}`);
    return [holder.publicId];
  });
  if (holders.length > 0) throw new LinksTaken(errors, holders);
}
