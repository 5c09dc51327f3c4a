import { type ComponentChildren, type VNode } from 'preact';
import { ConsolePage } from '../layout.js';
import { type SignedIn } from '../reader.js';
import { titleOf } from '../task-shown.js';
import { olderFrame } from './activity-part.js';
import { type PlacedTask } from './task-view.js';

/** What is older than the page of a task shows, in the place that it has there. */
export function OlderPage({
  to,
  task: { scope, task, path },
  before,
  label,
  children,
}: OlderPageProps): VNode {
  const title = titleOf(scope.workflow, task);
  return (
    <ConsolePage to={to} title={`${label} · ${title}`}>
      <nav class="crumbs" aria-label={to.words.task.where}>
        <a href={path}>{title}</a>
        <span aria-hidden="true">/</span>
        <span>{label}</span>
      </nav>
      <h1>{label}</h1>
      <div class="column history">
        <turbo-frame id={olderFrame(before)} refresh="morph">
          {children}
        </turbo-frame>
      </div>
    </ConsolePage>
  );
}

interface OlderPageProps {
  readonly to: SignedIn;
  readonly task: PlacedTask;
  /** What it is older than. */
  readonly before: string;
  readonly label: string;
  readonly children: ComponentChildren;
}
