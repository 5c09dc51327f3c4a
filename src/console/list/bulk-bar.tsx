import { plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { mayEditSome } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { Control, peopleOf } from '../parts/control.js';
import { Dialog } from '../parts/dialog.js';
import { Faults } from '../parts/labelled.js';
import { Form, Hidden } from '../parts/form.js';
import { type SignedIn } from '../reader.js';
import { askedBy, guardOf } from '../task/task-view.js';
import { type BulkAnswer } from './bulk-outcome.js';
import { type ChosenTask } from '../../executions/bulk-edits.js';
import { randomText } from '../../common/random-id.js';
import { stateOfTask, type TaskRow } from '../../tasks/store/task-row.js';
import { type AskedField } from '../../workflows/fields/field-type.js';

/** What can be done with the chosen tasks: it appears with the first of them. */
export function BulkBar({ bulk, path }: BulkProps): VNode {
  const { menus, once, asks, chosen } = bulk;
  const { field, sent } = asks && 'field' in asks ? asks : {};
  const faults = sent === undefined ? [] : ['is not a number'];
  return (
    <>
      {asks && (
        <Dialog
          id="bulk-sure"
          title={'field' in asks ? `Set a field: ${asks.name}` : asks.questions.join(' ')}
          isOpen
          back={path}
          answer={
            <button
              class="primary"
              form="bulk"
              name={field ? 'set' : 'sure'}
              value={'field' in asks ? asks.name : asks.id}
              autofocus={!field}
            >
              {asks.name}: {plural(chosen?.size ?? 0, 'task')}
            </button>
          }
        >
          {field && (
            <>
              <Control
                ask={field}
                value={sent ?? null}
                id="bulk-value"
                form="bulk"
                aria-labelledby="bulk-sure-title"
                {...(sent !== undefined && { 'aria-invalid': true, 'aria-describedby': 'bulk-value-fault' })}
              />
              <Faults id="bulk-value-fault" messages={faults} />
            </>
          )}
        </Dialog>
      )}
      <Form action={path} id="bulk" class="bulk" aria-label="Selected tasks" data-turbo-action="replace">
        {/* Enter presses the first button: in the dialog above that one, on a box of the list one that does nothing. */}
        <button hidden />
        <Hidden fields={{ once }} />
        <b class="bulk-count">selected</b>
        {menus.map(({ label, name, entries }) => (
          <details class="menu" name="menu">
            <summary class="button">{label}</summary>
            <div class="panel">
              {entries.map(([value, text, isBarred = false]) => (
                <button class="quiet" name={name} value={value} disabled={isBarred}>
                  {text} {isBarred && <span class="muted">asks for values: one task at a time</span>}
                </button>
              ))}
            </div>
          </details>
        ))}
        <a class="button quiet" href={path} data-bulk="clear">
          Clear
        </a>
      </Form>
    </>
  );
}

interface BulkProps {
  readonly bulk: Bulk;
  readonly path: string;
}

/** What a list offers for several tasks at once, and how it answers what was asked for. */
export interface Bulk extends BulkAnswer {
  readonly menus: readonly BulkMenu[];
  /** Tells one sending of the form from the next. */
  readonly once: string;
}

interface BulkMenu {
  readonly label: string;
  readonly name: string;
  /** What each button sends and says; of some that they cannot be pressed here. */
  readonly entries: readonly (readonly [value: string, label: string, isBarred?: boolean])[];
}

/** What the reader's role may do with some of the tasks that they see; actions that ask for values are run one by one. */
export function bulkMenus(reader: SignedIn, scope: Scope, actions: readonly Action[]): BulkMenu[] {
  const isEditor = mayEditSome(scope);
  const stage = scope.workflow.schema.byName.get('Stage');
  const ask = stage && askedBy(stage, scope);
  const stages = ask?.by === 'option' ? ask.options : [];
  const allowed = scope.bound?.permissions.actions ?? 'all';
  const startable = actions.filter(({ id, isByRules }) => !isByRules && (allowed === 'all' || allowed.includes(id))); // prettier-ignore
  const people: BulkMenu['entries'] = [['', 'Nobody'], ...peopleOf(reader)];
  const menus: BulkMenu[] = [
    { label: 'Assign to', name: 'assign', entries: isEditor ? people : [] },
    { label: 'Move to', name: 'stage', entries: isEditor ? stages.map((name) => [name, name]) : [] },
    {
      label: 'Set a field',
      name: 'field',
      entries: [...settableFields(scope).keys()].map((name) => [name, name]),
    },
    {
      label: 'Run an action',
      name: 'action',
      entries: startable.map(({ id, name, asked }) => [id, name, asked.some(({ required }) => required)]),
    },
  ];
  return menus.filter(({ entries }) => entries.length > 0);
}

/** What the checkbox of a task sends. */
export const chosenValue = (task: TaskRow): string => `${task.publicId}~${stateOfTask(task)}`;

/** The tasks that a form has chosen, each once. */
export function chosenIn(form: URLSearchParams): ChosenTask[] {
  const chosen = form.getAll('task').map((text): [string, ChosenTask] => {
    const [, publicId = '', state = ''] = /^([\w-]{1,64})~(\d{1,16}@\d{1,16})$/.exec(text) ?? [];
    return [publicId, { publicId, state }];
  });
  return [...new Map(chosen).values()];
}

/** What tells this sending of the form from others. */
export function onceIn(form: URLSearchParams): string {
  const once = form.get('once') ?? '';
  return /^[\w-]{1,64}$/.test(once) ? once : randomText(9);
}

/** The fields that the reader may set on some of the tasks, by their names, and by what each is asked for. */
export function settableFields(scope: Scope): ReadonlyMap<string, AskedField> {
  const { schema } = scope.workflow;
  const fields = new Map<string, AskedField>();
  if (!mayEditSome(scope)) return fields;
  for (const property of schema.properties) {
    const ask = property.fieldId ? askedBy(property, scope) : undefined;
    if (ask && !guardOf(schema, property)?.changing) fields.set(property.name, ask);
  }
  return fields;
}
