import { type ComponentChildren, type VNode } from 'preact';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { titleOf, titleProperty } from '../../workflows/fields/serialize-task.js';
import { StageBadge } from './badge.js';
import { OverdueMark } from './due.js';
import { fieldTypes } from '../../workflows/fields/field-types.js';
import { separators } from '../../workflows/fields/list-query.js';

/** A task on one line: its Unique ID, title and stage, the parts that are passed in, and whether it is overdue. */
export function TaskInLine({ workflow, task, found, saysDue = false, children }: TaskInLineProps): VNode {
  const stage = workflow.schema.stages.all.find(({ id }) => id === task.stageId);
  const title = titleOf(workflow, task);
  return (
    <>
      <span class="row-id">
        {task.uniqueValue !== title && task.uniqueValue !== null && (
          <Marked text={task.uniqueValue} found={found} />
        )}
      </span>
      <span class="row-title">
        <Marked text={title} found={found} />
      </span>
      {children}
      {!saysDue && stage?.isEnd !== true && <OverdueMark task={task} />}
      <StageBadge of={workflow} id={task.stageId} />
      {found && <Excerpt workflow={workflow} task={task} found={found} />}
    </>
  );
}

interface TaskInLineProps {
  readonly workflow: Workflow;
  readonly task: TaskView;
  readonly found?: RegExp | undefined;
  /** Whether the line already shows the deadline. */
  readonly saysDue?: boolean;
  readonly children?: ComponentChildren;
}

/** Beginnings of words if there is an index of words, otherwise any part of the text. */
export function patternOfWords({ schema: { isSearched } }: Workflow, asked: string): RegExp {
  const parts = (isSearched ? asked.split(separators) : [asked.trim()]).filter(Boolean);
  const written = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const begins = isSearched ? '(?<![\\p{L}\\p{N}])' : '';
  return new RegExp(written.length === 0 ? '(?!)' : `${begins}(?:${written.join('|')})`, 'giu');
}

function Marked({ text, found }: { readonly text: string; readonly found: RegExp | undefined }): VNode {
  if (!found) return <>{text}</>;
  const parts: (string | VNode)[] = [];
  let end = 0;
  for (const { index, 0: match } of text.matchAll(found)) {
    parts.push(text.slice(end, index), <mark>{match}</mark>);
    end = index + match.length;
  }
  return <>{[...parts, text.slice(end)]}</>;
}

/** The first other text of a task that contains a match, cut around that match. */
function Excerpt({ workflow, task, found }: ExcerptProps): VNode | null {
  const { properties } = workflow.schema;
  const title = titleProperty(properties);
  for (const property of properties) {
    if (property === title || fieldTypes.get(property.typeName ?? '')?.isSearched !== true) continue;
    const text = property.serialize(task);
    const at = typeof text === 'string' ? text.search(found) : -1;
    if (typeof text !== 'string' || at < 0) continue;
    const from = at < BEFORE ? 0 : at - BEFORE;
    const part = text.slice(from, at + BEHIND);
    return (
      <span class="row-found">
        {property.name}: {from > 0 && '…'}
        <Marked text={part.toWellFormed()} found={found} />
        {text.length > at + BEHIND && '…'}
      </span>
    );
  }
  return null;
}

interface ExcerptProps {
  readonly workflow: Workflow;
  readonly task: TaskView;
  readonly found: RegExp;
}

/** The number of characters shown before and after the match. */
const BEFORE = 30;
const BEHIND = 120;
