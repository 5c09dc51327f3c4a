import { type ComponentChildren, type VNode } from 'preact';
import { type RunResult } from '../../database/column-values.js';
import { type Message } from '../../lib/message.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { type SignedIn } from '../reader.js';
import { Badge, type Tone } from './badge.js';
import { Sayings, said } from './sayings.js';
import { Instant } from './time.js';

/** What came to start an action by itself, what came of it, and why. */
export function RunLine({ to, run, execution, children }: RunLineProps): VNode {
  const { by, result, because, at, chain } = run;
  const words = to.words.time;
  return (
    <>
      <p class="happening line">
        <Badge tone={tones[result]}>{words.results[result]}</Badge>
        <strong class="starter">{starterName(to, by)}</strong>
        {children}
        {execution !== undefined && <a href={execution}>{words.execution}</a>}
        <span class="muted">
          <Instant at={new Date(at)} to={to} isShort />
        </span>
      </p>
      {because !== null && (
        <p class="run-because">
          <Sayings all={[said(because)]} />
        </p>
      )}
      {chain.length > 1 && result !== 'loop' && (
        <p class="run-because muted">{chain.map(({ rule }) => rule).join(' → ')}</p>
      )}
    </>
  );
}

interface RunLineProps {
  readonly to: SignedIn;
  readonly run: ShownRun;
  /** The page of its execution, for who may see that. */
  readonly execution?: string | undefined;
  readonly children?: ComponentChildren;
}

/** How good a result is. */
export const tones: Readonly<Record<RunResult, Tone>> = {
  waiting: 'waiting',
  started: 'good',
  unavailable: 'plain',
  loop: 'bad',
  throttled: 'bad',
  silenced: 'plain',
  failed: 'bad',
  skipped: 'plain',
  missed: 'bad',
};

/** What a starter is called: rule hand-over. */
export function starterName({ words }: Pick<SignedIn, 'words'>, { kind, id }: ShownRun['by']): string {
  return id === null ? words.time.unseenStarter : words.time.starters[kind](id);
}

/** By what a change came, and why, as far as that is to be said. */
export function ByItself({ to, by, because }: ByItselfProps): VNode | null {
  const words = to.words.time;
  if (!by && because === null) return null;
  return (
    <p class="run-because">
      {by && `${words.by} ${starterName(to, by)}`}
      {by && because !== null && ', '}
      {because !== null && (
        <>
          {words.because} <Sayings all={[said(because)]} />
        </>
      )}
    </p>
  );
}

interface ByItselfProps {
  readonly to: SignedIn;
  readonly by: ShownRun['by'] | undefined;
  readonly because: Message | null;
}
