import { type VNode } from 'preact';
import { type Action } from '../../actions/action.js';
import { preconditionFailed } from '../../lib/errors.js';
import { titleOf } from '../../task-store/task-title.js';
import { type Scope } from '../../workspace/scope.js';
import { DONE } from '../board/addresses.js';
import { type WorkflowRequest } from '../entrances.js';
import { type Notice } from '../parts/notices.js';
import { saidOf, Sayings } from '../parts/sayings.js';
import { type SignedIn } from '../reader.js';
import { taskPath } from '../task-shown.js';
import { type BulkOutcome, MAX_CHOSEN } from './bulk-edits.js';

/** How a list answers what was asked for of the tasks that were chosen in it. */
export interface BulkAnswer {
  readonly notice?: Notice | undefined;
  /** The public ids of those that stay chosen. */
  readonly chosen?: ReadonlySet<string>;
  /** An action that is to be confirmed before it is run on them. */
  readonly asks?: Action;
}

const kinds = ['changed', 'unchanged', 'running'] as const;

type Counts = Readonly<Record<(typeof kinds)[number], number>>;

const countsOf = (outcomes: readonly BulkOutcome[]): Counts => {
  const of = (kind: BulkOutcome['became']): number => outcomes.filter(({ became }) => became === kind).length;
  return { changed: of('changed'), unchanged: of('unchanged'), running: of('running') };
};

/** The list again, where none was refused. */
export function donePath(path: string, outcomes: readonly BulkOutcome[]): string {
  const counts = countsOf(outcomes);
  return `${path}${path.includes('?') ? '&' : '?'}${DONE}=${kinds.map((kind) => counts[kind]).join('.')}`;
}

/** What that address tells of what was done. */
export function doneIn({ to, query }: WorkflowRequest): Notice | undefined {
  const told = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
    .exec(query.get(DONE) ?? '')
    ?.slice(1)
    .map(Number);
  if (!told || told.some((count) => count > MAX_CHOSEN)) return undefined;
  const [changed = 0, unchanged = 0, running = 0] = told;
  const text = textOf(to, { changed, unchanged, running });
  return text === '' ? undefined : { tone: running > 0 ? 'waiting' : 'good', lines: [{ text }] };
}

/** How many were done and how many not, and why each of these was refused. */
export function outcomeNotice(to: SignedIn, scope: Scope, outcomes: readonly BulkOutcome[]): Notice {
  const refused = outcomes.filter(({ became }) => became === 'refused');
  const text = textOf(to, countsOf(outcomes), refused.length);
  const more = (
    <ul class="faults">
      {refused.map((outcome) => (
        <Refused to={to} scope={scope} outcome={outcome} />
      ))}
    </ul>
  );
  return { tone: 'bad', lines: [{ text }], more };
}

function textOf({ words }: SignedIn, counts: Counts, refused = 0): string {
  const { bulk } = words.lists;
  const parts = kinds.flatMap((kind) => (counts[kind] > 0 ? [bulk[kind](counts[kind])] : []));
  return [...parts, ...(refused > 0 ? [bulk.refused(refused)] : [])].join(', ');
}

/** Of what the API says of it, pages show the answer. */
const stale = preconditionFailed().said;

function Refused({ to, scope: { workflow }, outcome: { task, reasons } }: RefusedProps): VNode {
  const { bulk } = to.words.lists;
  if (!task) return <li>{bulk.gone}</li>;
  return (
    <li>
      <a href={taskPath(workflow, task)}>{titleOf(workflow, task)}</a>
      {': '}
      <Sayings
        all={reasons.map((reason) => (reason === stale ? { text: bulk.stale } : saidOf(to, reason)))}
      />
    </li>
  );
}

interface RefusedProps {
  readonly to: SignedIn;
  readonly scope: Scope;
  readonly outcome: BulkOutcome;
}
