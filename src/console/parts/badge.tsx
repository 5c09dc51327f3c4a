import { type ComponentChildren, type VNode } from 'preact';
import { type Workflow } from '../../workflows/model/workspace.js';

/** What a badge means. The colour of the badge shows this meaning. */
type Tone = 'plain' | 'accent' | 'good' | 'bad' | 'waiting';

export function Badge({ tone = 'plain', children }: BadgeProps): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}

/**
 * A circle and the name of a stage. The later the stage, the more of its circle is filled. The circle of a
 * stage for dropped tasks is crossed out.
 */
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
  readonly id: number;
}

/** A badge for a state, such as that of an execution. Its colour shows whether the state is good. */
export function StateBadge({ state }: { readonly state: string }): VNode {
  return <Badge tone={looks[state]?.[0] ?? 'plain'}>{stateName(state)}</Badge>;
}

/** The label of a state: a text from `looks`, or the state itself with a capital letter. */
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
  disabled: ['bad'],
  failed: ['bad'],
  failing: ['bad'],
  loop: ['bad'],
  missed: ['bad'],
  throttled: ['bad', 'Held back'],
  unavailable: ['plain', 'Not available'],
};
