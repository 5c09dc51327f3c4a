import { type ControlFault, formNotice, type Notice } from '../parts/notices.js';
import { labelOf } from '../task-shown.js';
import { placeOfTask, type TaskPageView } from './task-view.js';

/** That a form of the page was refused, with a way to each control that something is wrong with. */
export function refusedFormNotice(view: TaskPageView): Notice | undefined {
  const { entry, to } = view;
  if (entry?.isConflict) {
    const lines = [{ text: to.words.task.changedMeanwhile }];
    return { tone: 'bad', lines, faults: [{ ...placeOf(view, entry.name), messages: [] }] };
  }
  const faults = [...faultsOfEntry(view), ...faultsOfGiven(view), ...faultsOfDecision(view)];
  const notice = formNotice([{ text: to.words.faulty }], faults);
  return notice.faults?.length ? notice : undefined;
}

function faultsOfEntry(view: TaskPageView): ControlFault[] {
  const { entry } = view;
  return entry ? [{ ...placeOf(view, entry.name), messages: entry.messages }] : [];
}

/** The control by which a form of this name is filled in, as the parts of the page call it. */
function placeOf({ scope, to }: TaskPageView, name: string): Omit<ControlFault, 'messages'> {
  const { task: words } = to.words;
  if (name === 'comment') return { id: 'comment', label: words.comment };
  if (name === 'checklist') return { id: 'checklist-add', label: words.checklist };
  const property = scope.workflow.schema.byName.get(name);
  const part = property?.files ? 'file' : property?.links ? 'id' : 'value';
  return { id: property ? `${placeOfTask(property)}-${part}` : name, label: labelOf(to, name) };
}

/** Of what was given to an action, in the order in which it is asked for. */
function faultsOfGiven({ refusedGiven, actions, confirm, to }: TaskPageView): ControlFault[] {
  const asked = actions.find(({ action }) => action.id === confirm)?.action.asked ?? [];
  return asked.map(({ field }, at) => ({
    id: `given-${confirm ?? ''}-${at}`,
    label: labelOf(to, field),
    messages: refusedGiven?.messages.get(field) ?? [],
  }));
}

function faultsOfDecision({ refusedDecision, to }: TaskPageView): ControlFault[] {
  if (!refusedDecision) return [];
  const { action, id, messages } = refusedDecision;
  const { comment, reason } = to.words.approvals;
  return [
    id === ''
      ? { id: `override-${action}`, label: reason, messages }
      : { id: `approval-${action}-${id}-comment`, label: comment, messages },
  ];
}
