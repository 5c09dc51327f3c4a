import { type VNode } from 'preact';
import { mayCreate } from '../../workflows/model/allowed.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { boardPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { type SentValues } from '../parts/control.js';
import { Crumbs } from '../parts/crumbs.js';
import { type Notice } from '../parts/notices.js';
import { Question } from '../parts/labelled.js';
import { Form, FormKey } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn, useReader } from '../reader.js';
import { initially, type NewTaskQuestion } from './new-task.js';
import { type Scope } from '../../workflows/model/scope.js';

export const newTaskPath = ({ slug }: Pick<Workflow, 'slug'>): string =>
  `/workflows/${encodeURIComponent(slug)}/new`;

/**
 * The form of a new task. At first, optional questions are folded if there are more than FEW. After a
 * refusal, all questions are unfolded.
 */
export function NewTaskPage({ scope, questions, form }: NewTaskProps): VNode {
  const { workflow } = scope;
  const board = boardPath(workflow, new URLSearchParams());
  const nodes = questionNodes(useReader(), { scope, questions, form });
  const more = nodes.filter(({ isMore }) => isMore);
  return (
    <ConsolePage title="New task" notice={form.notice}>
      <Crumbs path={board} above={workflow.name} here="New task" />
      <Form
        action={newTaskPath(workflow)}
        {...(workflow.schema.files.size > 0 && { enctype: 'multipart/form-data' })}
        class="new-task stack"
        data-controller="entry"
        data-action="keydown->entry#key"
      >
        <h1>
          New task <span class="muted">in {workflow.name}</span>
        </h1>
        <FormKey />
        {nodes.map(({ isMore, node }) => !isMore && node)}
        {more.length > FEW ? (
          <details open={questions.some(({ isMore, name }) => isMore && form.entered.has(name))}>
            <summary>More fields ({more.length})</summary>
            <div class="new-task stack">{more.map(({ node }) => node)}</div>
          </details>
        ) : (
          more.map(({ node }) => node)
        )}
        <div class="actions form-foot">
          <button type="submit" class="primary">
            Create task
          </button>
          <a class="button quiet" href={board}>
            Cancel
          </a>
        </div>
      </Form>
    </ConsolePage>
  );
}

const FEW = 3;

/** The control of each question. The control shows the entered value, or else the default. */
function questionNodes(reader: SignedIn, { scope, questions, form: { entered, notice } }: NewTaskProps) {
  const initial = initially(reader, scope);
  return questions.map(({ property, isMore, ...control }, at) => {
    const value = entered.get(property.name) ?? initial(property);
    const node = <Question {...control} value={value} isFirst={at === 0 && !notice?.faults} />;
    return { isMore, node };
  });
}

interface NewTaskProps {
  readonly scope: Scope;
  readonly questions: readonly NewTaskQuestion[];
  readonly form: NewTaskForm;
}

interface NewTaskForm {
  readonly entered: ReadonlyMap<string, SentValues>;
  readonly notice?: Notice | undefined;
}

export function NewTaskLink({ scope }: Pick<NewTaskProps, 'scope'>): VNode | null {
  if (!mayCreate(scope)) return null;
  return (
    <a class="button primary" href={newTaskPath(scope.workflow)}>
      <Icon name="plus" /> New task
    </a>
  );
}
