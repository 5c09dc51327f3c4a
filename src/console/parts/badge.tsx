import { type ComponentChildren, type VNode } from 'preact';
import { type Stage } from '../../workflows/fields/task-schema.js';

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
export function StageBadge({ stage: { name, isEnd, outcome }, place, count }: StageProps): VNode {
  const quarter = isEnd ? outcome : `q${Math.min(3, Math.floor((place * 4) / Math.max(1, count)))}`;
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
  readonly stage: Pick<Stage, 'name' | 'isEnd' | 'outcome'>;
  /** Among the stages of its workflow, from 0. */
  readonly place: number;
  readonly count: number;
}
