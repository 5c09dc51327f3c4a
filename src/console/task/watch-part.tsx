import { type VNode } from 'preact';
import { ButtonForm } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type TaskPageView } from './task-view.js';

/** Whether the reader watches the task, and how to change that. */
export function Watching({ view: { path, watch } }: { readonly view: TaskPageView }): VNode {
  const isWatching = watch === 'auto' || watch === 'on';
  const said = isWatching
    ? 'You watch this task.'
    : watch === 'muted'
      ? 'You have muted this task.'
      : 'You do not watch this task.';
  return (
    <section class="watch" id="watch" aria-label="Notifications">
      <p class="line muted small">
        <Icon name="bell" /> {said}
      </p>
      <ButtonForm action={`${path}/watch`} look="quiet small" fields={{ state: isWatching ? 'muted' : 'on' }}>
        {isWatching ? 'Mute' : 'Watch'}
      </ButtonForm>
    </section>
  );
}
