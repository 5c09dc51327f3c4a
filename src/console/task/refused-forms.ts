import { said } from '../parts/sayings.js';
import { type ControlFault, formNotice, type Notice, refusalOf } from '../parts/notices.js';
import { labelOf } from '../task-shown.js';
import { placeOfTask, type TaskPageEntry, type TaskPageView } from './task-view.js';

/** That a form of the page was refused, with a way to each control that something is wrong with. */
export function refusedFormNotice(view: TaskPageView): Notice | undefined {
  const { entry } = view;
  if (entry?.isConflict) {
    const lines = [{ text: 'The task has changed since you opened it. Check it, then try again.' }];
    return { tone: 'bad', lines, faults: faultsOfEntry(view) };
  }
  const faults = [...faultsOfEntry(view), ...faultsOfGiven(view), ...faultsOfDecision(view)];
  const notice = formNotice(faults);
  return notice.faults?.length ? notice : refusalOf((entry?.messages ?? []).map(said));
}

function faultsOfEntry(view: TaskPageView): ControlFault[] {
  const { entry } = view;
  const place = entry && placeOf(view, entry);
  return place ? [{ ...place, messages: entry.messages }] : [];
}

/** The control by which a form of this name is filled in, as the parts of the page call it; a button alone has none. */
function placeOf(
  { scope }: TaskPageView,
  { name }: TaskPageEntry,
): Omit<ControlFault, 'messages'> | undefined {
  if (name === 'comment') return { id: 'comment', label: 'Comment' };
  if (name === 'checklist') return { id: 'checklist-add', label: 'Checklist' };
  const property = scope.workflow.schema.byName.get(name);
  if (!property) return undefined;
  const part = property.files ? 'file' : property.links ? 'id' : 'value';
  return { id: `${placeOfTask(property)}-${part}`, label: labelOf(name) };
}

/** Of what was given to an action, in the order in which it is asked for. */
function faultsOfGiven({ refusedGiven, actions, confirm }: TaskPageView): ControlFault[] {
  const asked = actions.find(({ action }) => action.id === confirm)?.action.asked ?? [];
  return asked.map(({ field }, at) => ({
    id: `given-${confirm ?? ''}-${at}`,
    label: labelOf(field),
    messages: refusedGiven?.messages.get(field) ?? [],
  }));
}

function faultsOfDecision({ refusedDecision }: TaskPageView): ControlFault[] {
  if (!refusedDecision) return [];
  const { action, id, messages } = refusedDecision;
  return [
    id === ''
      ? { id: `override-${action}`, label: 'Reason', messages }
      : { id: `approval-${action}-${id}-comment`, label: 'Comment', messages },
  ];
}
