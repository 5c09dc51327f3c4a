import { plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { randomText } from '../../common/random-id.js';
import { type ChosenTask } from '../../executions/bulk-edits.js';
import { stateOfTask, type TaskRow } from '../../tasks/store/task-row.js';
import { Dialog } from '../parts/dialog.js';
import { Form, Hidden } from '../parts/form.js';
import { useNamed } from '../parts/sayings.js';
import { type BulkAnswer, type BulkQuestion } from './bulk-outcome.js';
import { type BulkMenu } from './bulk-preview.js';

/** The bar for the chosen tasks. A button opens a menu of choices with their effects. */
export function BulkBar({ bulk, path }: { readonly bulk: Bulk; readonly path: string }): VNode {
  const { menus, once, asks, chosen } = bulk;
  return (
    <>
      {asks && <Question asks={asks} count={chosen?.size ?? 0} />}
      <Form action={path} id="bulk" class="bulk line" aria-label="Selected tasks">
        {/* If the user presses Enter in a checkbox, browsers press the first button of the form. This button
            starts no operation. */}
        <button hidden />
        <Hidden fields={{ once }} />
        <b class="picked">selected</b>
        {menus.map(({ label, name }) => (
          <button name="ask" value={name}>
            {label}…
          </button>
        ))}
        <a class="button quiet" href={path} data-bulk="clear">
          Clear
        </a>
      </Form>
    </>
  );
}

/** The operations on several tasks of a list, and the outcome of the last operation. */
export interface Bulk extends BulkAnswer {
  readonly menus: readonly BulkMenu[];
  /** Identifies this copy of the form. A form that is sent twice has one effect. */
  readonly once: string;
}

function Question({ asks, count }: { readonly asks: BulkQuestion; readonly count: number }): VNode {
  const tasks = plural(count, 'task');
  const dialog = { id: 'bulk-sure', isOpen: true };
  if ('choices' in asks)
    return (
      <Dialog {...dialog} title={`${asks.title} ${tasks}`}>
        <Choices menu={asks} />
      </Dialog>
    );
  const answer = (
    <button class="primary" form="bulk" name="sure" value={asks.id} autofocus>
      {asks.name}: {tasks}
    </button>
  );
  return <Dialog {...dialog} title={asks.questions.join(' ')} answer={answer} />;
}

function Choices({ menu }: { readonly menu: BulkMenu }): VNode {
  const named = useNamed();
  return (
    <div class="bulk-choices">
      {menu.choices.map(({ value, text, told = '', isBarred }, at) => (
        <button
          class="quiet"
          form="bulk"
          name={menu.name}
          value={value}
          disabled={isBarred}
          autofocus={at === 0}
        >
          {text} {told !== '' && <span class="muted small">{named(told)}</span>}
        </button>
      ))}
    </div>
  );
}

/** The value of a task's checkbox: the task's id and state, as `chosenIn` reads them. */
export const chosenValue = (task: TaskRow): string => `${task.publicId}~${stateOfTask(task)}`;

export function chosenIn(form: URLSearchParams): ChosenTask[] {
  const chosen = form.getAll('task').map((text): [string, ChosenTask] => {
    const [, publicId = '', state = ''] = /^([\w-]{1,64})~(\d{1,16}@\d{1,16})$/.exec(text) ?? [];
    return [publicId, { publicId, state }];
  });
  return [...new Map(chosen).values()];
}

export function onceIn(form: URLSearchParams): string {
  const once = form.get('once') ?? '';
  return /^[\w-]{1,64}$/.test(once) ? once : randomText(9);
}
