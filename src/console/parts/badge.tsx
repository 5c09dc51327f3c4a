import { type ComponentChildren, type VNode } from 'preact';
import { type Workflow } from '../../workflows/model/workspace.js';

/** What a badge says beyond its words, by colour and sign. */
export type Tone = 'plain' | 'accent' | 'good' | 'bad' | 'waiting';

/** A short word about the state of something. */
export function Badge({ tone = 'plain', children }: BadgeProps): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}

/** The stage of a task: its circle fills as the stages go on, is full where the task is done, and crossed where it was dropped. */
export function StageBadge({ of: { schema }, id }: StageProps): VNode | null {
  const { all } = schema.stages;
  const place = all.findIndex((stage) => stage.id === id);
  const stage = all[place];
  if (!stage) return null;
  const { name, isEnd, outcome } = stage;
  const quarter = isEnd ? outcome : `q${Math.min(3, Math.floor((place * 4) / all.length))}`;
  return (
    <span class="stage">
      <span class={`stage-mark ${quarter}`} aria-hidden="true" />
      <span class="stage-name">
        {name}
        {quarter === 'dropped' && <span class="visually-hidden"> (dropped)</span>}
      </span>
    </span>
  );
}

interface StageProps {
  readonly of: Workflow;
  /** Of the stage. */
  readonly id: number;
}

/** The state of something that goes on by itself: its word, and how good that is. */
export function StateBadge({ state }: { readonly state: string }): VNode {
  return <Badge tone={looks[state]?.[0] ?? 'plain'}>{stateName(state)}</Badge>;
}

/** The word for a state; most are said as they are called. */
export const stateName = (state: string): string =>
  looks[state]?.[1] ?? state.charAt(0).toUpperCase() + state.slice(1);

const looks: Readonly<Record<string, readonly [tone: Tone, name?: string]>> = {
  Pending: ['waiting', 'Under way'],
  Success: ['good', 'Done'],
  Fail: ['bad', 'Failed'],
  active: ['good'],
  delivered: ['good'],
  sent: ['good'],
  started: ['good'],
  paused: ['waiting'],
  pending: ['waiting'],
  queued: ['waiting'],
  waiting: ['waiting'],
  failed: ['bad'],
  loop: ['bad'],
  missed: ['bad'],
  throttled: ['bad', 'Held back'],
  unavailable: ['plain', 'Not available'],
};
