import { type Message } from '../../common/message.js';
import { type VNode } from 'preact';
import { type TaskRow, stateOfTask } from '../../tasks/store/task-row.js';
import { mayEdit, mayMove } from '../../workflows/model/allowed.js';
import { Avatar } from '../parts/avatar.js';
import { StageBadge } from '../parts/badge.js';
import { Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { nameOfPerson } from '../reader.js';
import { labelOf, taskPath } from '../task-shown.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { boardPath, filtersOf } from './addresses.js';
import { type Board, CARDS, type BoardColumn } from './boards.js';
import { type Notice, refusalOf } from '../parts/notices.js';
import { Count, TasksPage } from './workflow-head.js';
import { Cell, Columns, DueCell } from '../list/columns.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';

export function BoardPage({ board, query, faults, done }: BoardProps): VNode {
  const { scope, columns } = board;
  const { workflow } = scope;
  const filters = filtersOf(query);
  const count = columns.reduce((sum, { total }) => sum + total.count, 0);
  const total = { count, isMore: columns.some((column) => column.total.isMore) };
  const tools = <Columns workflow={workflow} filters={filters} at="board" shown={board.fields} />;
  const isEmpty = count === 0 && faults.length === 0;
  const page = { scope, filters, total, isEmpty, notice: refusalOf(faults) ?? done, tools };
  return (
    <TasksPage {...page} at="board">
      {count > 0 && (
        <div
          class="board"
          role="region"
          aria-label={workflow.name}
          tabIndex={0}
          data-controller="board"
          data-action="dragstart->board#start dragend->board#end turbo:submit-end->board#sent"
        >
          {columns.map((column) => (
            <StageColumn board={board} column={column} query={query} />
          ))}
        </div>
      )}
    </TasksPage>
  );
}

export interface BoardProps {
  readonly board: Board;
  readonly query: URLSearchParams;
  readonly faults: readonly Message[];
  /** What the last operation did; not shown if there are faults. */
  readonly done?: Notice | undefined;
}

function StageColumn({ board, column, query }: ColumnProps): VNode {
  const { workflow } = board.scope;
  const { stage, total } = column;
  const after = query.get('_after');
  const id = `stage-${stage.id}`;
  return (
    <section
      class="board-column"
      id={`column-${stage.id}`}
      aria-labelledby={id}
      data-stage={stage.name}
      data-action="dragover->board#over dragleave->board#out drop->board#drop"
    >
      <h2 id={id}>
        <StageBadge of={workflow} id={stage.id} />
        <Count of={total} />
      </h2>
      <div class="cards">
        {after === null ? (
          <Cards board={board} column={column} query={query} />
        ) : (
          <>
            <a class="more" href={boardPath(workflow, filtersOf(query))}>
              Back to the beginning
            </a>
            <turbo-frame id={frameOf(after)} target="_top">
              <Cards board={board} column={column} query={query} />
            </turbo-frame>
          </>
        )}
      </div>
    </section>
  );
}

type Shown = Pick<BoardProps, 'board' | 'query'>;

interface ColumnProps extends Shown {
  readonly column: BoardColumn;
}

/**
 * Some cards, and a link to the next cards, if any. When the link becomes visible, scripts replace the link
 * by the next cards.
 */
function Cards({ board, column: { stage, tasks, next }, query }: ColumnProps): VNode {
  const more = filtersOf(query);
  more.set('Stage', stage.name);
  more.set('_limit', String(CARDS));
  if (next !== undefined) more.set('_after', next);
  const path = boardPath(board.scope.workflow, more);
  return (
    <>
      <ul class="stack">
        {tasks.map((task) => (
          <Card board={board} task={task} query={query} />
        ))}
      </ul>
      {next !== undefined && (
        <turbo-frame id={frameOf(next)} src={path} loading="lazy" refresh="morph" target="_top">
          <a class="more" href={path}>
            Show more
          </a>
        </turbo-frame>
      )}
    </>
  );
}

/** The id of the frame for the next cards. The beginning of a cursor is unique on a board. */
const frameOf = (cursor: string): string => `after-${cursor.slice(0, 16)}`;

function Card({ board: { scope, fields }, task, query }: CardProps): VNode {
  const { workflow } = scope;
  const title = titleOf(scope.workflow, task);
  const assignee = task.assigneeId === null ? undefined : scope.workflow.schema.users.get(task.assigneeId);
  const cells = fields.map((column) => ({
    label: labelOf(column.name),
    cell: Cell({ workflow, task, column }),
  }));
  const ways = waysOf(scope, task);
  return (
    <li class="task-card" id={`task-${task.publicId}`} draggable={ways.length > 0}>
      <a href={taskPath(scope.workflow, task)} draggable={false}>
        {title}
      </a>
      {cells.some(({ cell }) => cell !== null) && (
        <dl class="card-fields">
          {cells.map(
            ({ label, cell }) =>
              cell && (
                <div>
                  <dt>{label}</dt>
                  <dd>{cell}</dd>
                </div>
              ),
          )}
        </dl>
      )}
      <div class="task-card-more line">
        {task.uniqueValue !== title && <span class="row-id">{task.uniqueValue}</span>}
        <DueCell workflow={workflow} task={task} />
        {assignee && <Avatar user={assignee} label={nameOfPerson(assignee)} />}
      </div>
      <Move scope={scope} task={task} query={query} ways={ways} />
    </li>
  );
}

interface CardProps extends Shown {
  readonly task: TaskRow;
}

/** The stages to which the reader may move the task without an action; [] if there are more than MAX_WAYS. */
function waysOf(scope: Scope, task: TaskRow): string[] {
  const { stages, locks } = scope.workflow.schema;
  if (!mayMove(scope, task) || !mayEdit(scope, task)) return [];
  if (locks.own.get(task.stageId)?.barred.has('Stage')) return [];
  const others = stages.all.filter(({ id, enter }) => id !== task.stageId && enter !== 'by_actions');
  return others.length > MAX_WAYS ? [] : others.map(({ name }) => name);
}

/** The most stages in the menu of a card. A longer menu would fill the page, so the card then has no menu. */
const MAX_WAYS = 12;

function Move({ scope, task, query, ways }: MoveProps): VNode | null {
  if (ways.length === 0) return null;
  const name = nameOfCard(scope.workflow, task);
  const id = `move-${task.publicId}`;
  const filters = filtersOf(query).toString();
  const fields = { task: task.publicId, name, version: stateOfTask(task), filters };
  return (
    <div class="move">
      <button
        type="button"
        class="quiet sign"
        popovertarget={id}
        aria-label={`Move ${name}`}
        title="Move by hand to"
      >
        <Icon name="arrow" />
      </button>
      <Form
        action={`/workflows/${encodeURIComponent(scope.workflow.slug)}/move`}
        class="panel"
        id={id}
        popover="auto"
      >
        <Hidden fields={fields} />
        {ways.map((name) => (
          <button class="quiet" name="stage" value={name}>
            {name}
          </button>
        ))}
      </Form>
    </div>
  );
}

/** The name of a task in messages about its card. */
export const nameOfCard = (workflow: Workflow, task: TaskRow): string =>
  task.uniqueValue ?? titleOf(workflow, task);

interface MoveProps extends Omit<CardProps, 'board'> {
  readonly scope: Scope;
  readonly ways: readonly string[];
}
