import { type ComponentChildren, type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { mayEdit } from '../../workspace/allowed.js';
import { type Scope } from '../../workspace/scope.js';
import { peopleOf } from '../parts/control.js';
import { Dialog } from '../parts/dialog.js';
import { Form, Hidden } from '../parts/form.js';
import { type SignedIn } from '../reader.js';
import { askedBy } from '../task/task-view.js';
import { type BulkAnswer } from './bulk-outcome.js';

/** The keys that are given to many tasks at once, by what the buttons for them send. */
export const bulkKeys: ReadonlyMap<string, string> = new Map([['assign', 'Assigned To'], ['stage', 'Stage']]); // prettier-ignore

/** The id of the form that the checkboxes of a list belong to. */
export const BULK = 'bulk';

/** What a list offers for several tasks at once. */
export interface Bulk extends BulkAnswer {
  readonly actions: readonly Action[];
  /** Tells one sending of the form from the next. */
  readonly once: string;
}

/** What can be done with the chosen tasks: it appears with the first of them. */
export function BulkBar({ to, scope, bulk, path }: BulkProps): VNode {
  const { bulk: words } = to.words.lists;
  const { asks, chosen } = bulk;
  const [question = ''] = asks?.questions ?? [];
  return (
    <>
      <Form action={path} id={BULK} class="bulk" aria-label={words.title} data-turbo-action="replace">
        <Hidden fields={{ once: bulk.once }} />
        <b class="bulk-count">{words.selected}</b>
        <Menu label={words.assign} entries={peopleMayBe(to, scope)} name="assign" />
        <Menu label={words.move} entries={stagesOf(scope)} name="stage" />
        <Menu label={words.run} entries={actionsMayBe(scope, bulk.actions)} name="action">
          {to.words.lists.bulk.asksMore}
        </Menu>
        <a class="button quiet" href={path} data-bulk="clear">
          {words.clear}
        </a>
      </Form>
      {asks && (
        <Dialog
          id="bulk-sure"
          title={question}
          words={to.words}
          isOpen
          back={path}
          answer={
            <button type="submit" class="primary" form={BULK} name="sure" value={asks.id} autofocus>
              {words.runOn(asks.name, chosen?.size ?? 0)}
            </button>
          }
        />
      )}
    </>
  );
}

interface BulkProps {
  readonly to: SignedIn;
  readonly scope: Scope;
  readonly bulk: Bulk;
  readonly path: string;
}

/** What is chosen by a button; what cannot be is told, too. */
interface Entry {
  readonly value: string;
  readonly label: string;
  readonly isBarred?: boolean;
}

function Menu({ label, entries, name, children }: MenuProps): VNode | null {
  if (entries.length === 0) return null;
  return (
    <details class="menu" name="menu">
      <summary class="button">{label}</summary>
      <div class="panel">
        {entries.map(({ value, label, isBarred = false }) => (
          <button class="quiet" name={name} value={value} disabled={isBarred}>
            {label} {isBarred && <span class="muted">{children}</span>}
          </button>
        ))}
      </div>
    </details>
  );
}

interface MenuProps {
  readonly label: string;
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Why some of them cannot be. */
  readonly children?: ComponentChildren;
}

/** Whether their role may edit some of what the viewer sees. */
const editsSome = (scope: Scope): boolean => mayEdit(scope, { assigneeId: scope.viewer?.userId ?? null });

function peopleMayBe(to: SignedIn, scope: Scope): Entry[] {
  if (!editsSome(scope)) return [];
  const people = peopleOf(to).map(([value, label]) => ({ value, label }));
  return [{ value: '', label: to.words.nobody }, ...people];
}

function stagesOf(scope: Scope): Entry[] {
  const stage = scope.workflow.schema.byName.get('Stage');
  const ask = stage && editsSome(scope) ? askedBy(stage, scope) : undefined;
  return ask?.by === 'option' ? ask.options.map((name) => ({ value: name, label: name })) : [];
}

/** Those that people start and the viewer's role has; what asks for values is done one by one. */
function actionsMayBe({ bound }: Scope, actions: readonly Action[]): Entry[] {
  const allowed = bound?.permissions.actions ?? 'all';
  return actions
    .filter(({ isByRules, id }) => !isByRules && (allowed === 'all' || allowed.includes(id)))
    .map(({ id, name, asked }) => ({
      value: id,
      label: name,
      isBarred: asked.some(({ required }) => required === true),
    }));
}

/** Whether the reader can do anything with several tasks at once. */
export const offersBulk = (to: SignedIn, scope: Scope, actions: readonly Action[]): boolean =>
  peopleMayBe(to, scope).length + actionsMayBe(scope, actions).length > 0;
