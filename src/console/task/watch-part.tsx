import { type VNode } from 'preact';
import { ButtonForm } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type TaskPageView } from './task-view.js';

/** Whether the reader watches the task, and how to change that. */
export function Watching({ view: { to, path, watch } }: { readonly view: TaskPageView }): VNode {
  const words = to.words.inbox.watch;
  const isWatching = watch === 'auto' || watch === 'on';
  const said = isWatching ? words.watching : watch === 'muted' ? words.muted : words.not;
  return (
    <section class="watch" id="watch" aria-label={to.words.inbox.preferences.title}>
      <p class="line muted small">
        <Icon name="bell" /> {said}
      </p>
      <ButtonForm action={`${path}/watch`} look="quiet small" fields={{ state: isWatching ? 'muted' : 'on' }}>
        {isWatching ? words.mute : words.start}
      </ButtonForm>
    </section>
  );
}
