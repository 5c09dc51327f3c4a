import { type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { preconditionFailed } from '../../common/errors.js';
import { DONE, listPath, ofAnswers, UNDO, withoutNames } from '../board/addresses.js';
import { ButtonForm } from '../parts/form.js';
import { type BulkMenu } from './bulk-preview.js';
import { type WorkflowRequest } from '../console-controller.js';
import { type Notice } from '../parts/notices.js';
import { Sayings } from '../parts/sayings.js';
import { taskPath } from '../task-shown.js';
import { type BulkOperation, type BulkOutcome, MAX_CHOSEN } from '../../executions/bulk-edits.js';

export interface BulkAnswer {
  readonly notice?: Notice | undefined;
  /** The public ids of the tasks that stay chosen. */
  readonly chosen?: ReadonlySet<string>;
  readonly asks?: BulkQuestion;
}

/** The next question of the page: a choice from a menu, or the confirmation of an action. */
export type BulkQuestion = BulkMenu | Action;

const kinds = ['changed', 'unchanged', 'running', 'refused'] as const;

const countsOf = (outcomes: readonly BulkOutcome[]): number[] =>
  kinds.map((kind) => outcomes.filter(({ became }) => became === kind).length);

const textOf = (counts: readonly number[]): string =>
  kinds.flatMap((kind, at) => (counts[at] ? [kindTexts[kind](counts[at])] : [])).join(', ');

/** The path of the list after an operation that no task refused. `undo` is the result of `undoOf`. */
export function donePath(path: string, outcomes: readonly BulkOutcome[], undo: string): string {
  const told = { [DONE]: countsOf(outcomes).slice(0, 3).join('.'), ...(undo !== '' && { [UNDO]: undo }) };
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(told).toString()}`;
}

/**
 * Writes what Undo needs: the changed property, and each changed task with its new version. The text is for a
 * URL or a form. Returns '' if nothing can be undone.
 */
export function undoOf(operation: BulkOperation, outcomes: readonly BulkOutcome[]): string {
  const changed = outcomes.flatMap(({ publicId, version }) =>
    version === undefined ? [] : [`${publicId}.${version}`],
  );
  return 'name' in operation && changed.length > 0 ? [operation.name, ...changed].join('~') : '';
}

/** Parses the result of `undoOf`. `versions` maps the public id of each changed task to its version. */
export function undoIn(undo: string): UndoneChanges {
  const [name = '', ...changed] = undo.split('~').slice(0, MAX_CHOSEN + 1);
  const versions = new Map<string, number>();
  for (const each of changed) {
    const [, publicId, version] = /^([\w-]{1,64})\.(\d{1,16})$/.exec(each) ?? [];
    if (publicId !== undefined) versions.set(publicId, Number(version));
  }
  return { name, versions };
}

interface UndoneChanges {
  readonly name: string;
  readonly versions: ReadonlyMap<string, number>;
}

/** Reads the outcome of the last operation from the URL; undefined if the URL has no outcome. */
export function doneIn({ scope, query }: WorkflowRequest): Notice | undefined {
  const [, ...told] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(query.get(DONE) ?? '') ?? [];
  const counts = told.map(Number);
  const text = textOf(counts);
  if (text === '' || counts.some((count) => count > MAX_CHOSEN)) return undefined;
  const undo = query.get(UNDO) ?? '';
  return {
    tone: counts[2] ? 'waiting' : 'good',
    lines: [text],
    more:
      undo === '' ? null : (
        <Undo path={listPath(scope.workflow, withoutNames(query, ofAnswers))} undo={undo} />
      ),
  };
}

function Undo({ path, undo }: { readonly path: string; readonly undo: string }): VNode {
  return (
    <ButtonForm action={path} look="quiet small" fields={{ undo }}>
      Undo
    </ButtonForm>
  );
}

export function outcomeNotice(
  { scope: { workflow }, query }: WorkflowRequest,
  outcomes: readonly BulkOutcome[],
  undo: string,
): Notice {
  const refused = outcomes.filter(({ became }) => became === 'refused');
  const told = ({ publicId, title, reasons }: BulkOutcome): VNode | string =>
    title === undefined ? (
      'A task that is no longer here, or that you cannot see'
    ) : (
      <>
        <a href={taskPath(workflow, { publicId })}>{title}</a>
        {': '}
        <Sayings all={reasons.map((each) => (each === stale ? changedSince : each))} />
      </>
    );
  const more = (
    <>
      {undo !== '' && <Undo path={listPath(workflow, withoutNames(query, ofAnswers))} undo={undo} />}
      <ul class="faults">
        {refused.map((outcome) => (
          <li>{told(outcome)}</li>
        ))}
      </ul>
    </>
  );
  return { tone: 'bad', lines: [textOf(countsOf(outcomes))], more };
}

/** This message tells programs to read the task again. Pages show `changedSince` instead. */
const stale = preconditionFailed().said;
const changedSince =
  'not changed, because you or somebody else changed it since; its current values are shown';

const kindTexts = {
  changed: (count: number) => `${count} changed`,
  unchanged: (count: number) => `${count} unchanged`,
  running: (count: number) => (count === 1 ? '1 is still running' : `${count} are still running`),
  refused: (count: number) => `${count} refused`,
} satisfies Record<BulkOutcome['became'], (count: number) => string>;
