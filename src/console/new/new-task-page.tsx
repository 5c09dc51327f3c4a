import { type VNode } from 'preact';
import { mayCreate } from '../../workflows/model/allowed.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { boardPath } from '../board/addresses.js';
import { FORM_KEY } from '../form-body.js';
import { ConsolePage } from '../layout.js';
import { Control } from '../parts/control.js';
import { Empty, type Notice, type ValueControl } from '../parts/notices.js';
import { useFault, Labelled } from '../parts/labelled.js';
import { Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn, useReader } from '../reader.js';
import { labelOf } from '../task-shown.js';
import {
  type AskedKey,
  type EnteredTask,
  initially,
  keysOfForm,
  type EnteredLinks,
  linksOf,
} from './new-task.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Property } from '../../workflows/fields/property.js';
import { foundFrame, TAKE } from '../parts/linkable.js';

export const newTaskPath = ({ slug }: Pick<Workflow, 'slug'>): string =>
  `/workflows/${encodeURIComponent(slug)}/new`;

/** The form of a new task: required values first, then stage and assignee. All other keys are folded. */
export function NewTaskPage({ scope, form }: NewTaskProps): VNode {
  const reader = useReader();
  const { workflow } = scope;
  const board = boardPath(workflow, new URLSearchParams());
  const questions = [...fieldQuestions(reader, { scope, form }), ...linkQuestions({ scope, form })];
  const more = questions.filter(({ isMore }) => isMore);
  return (
    <ConsolePage title="New task" notice={form.notice}>
      <nav class="crumbs line" aria-label="Breadcrumb">
        <a href={board}>{workflow.name}</a>
        <span aria-hidden="true">/</span>
        <span>New task</span>
      </nav>
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
        <Hidden fields={{ [FORM_KEY]: form.key }} />
        {questions.map(({ isMore, node }) => !isMore && node)}
        {more.length > FEW ? (
          <details class="more-fields" open={more.some(({ isFilled }) => isFilled)}>
            <summary>More fields ({more.length})</summary>
            <div class="new-task stack">{more.map(({ node }) => node)}</div>
          </details>
        ) : (
          more.map(({ node }) => node)
        )}
        {form.takes?.map((holder) => (
          <label class="tick">
            <input type="checkbox" name={TAKE} value={holder} />
            Take it away there
          </label>
        ))}
        <div class="actions form-foot">
          <button type="submit" class="primary">
            Create task
          </button>
          <button type="submit" name={THEN} value="another">
            Create another
          </button>
          <a class="button quiet" href={board}>
            Cancel
          </a>
        </div>
      </Form>
    </ConsolePage>
  );
}

/** If there are no more than this, the fields are not folded. */
const FEW = 3;

export const THEN = '_then';

interface FormQuestion {
  readonly node: VNode;
  /** Whether the key is optional and folded. */
  readonly isMore: boolean;
  readonly isFilled: boolean;
}

function fieldQuestions(reader: SignedIn, { scope, form }: NewTaskProps): FormQuestion[] {
  const initial = initially(reader, scope);
  return keysOfForm(scope).map((asked, at) => {
    const { property, isMore } = asked;
    const [value, known, id] = [form.entered.get(property.name), initial(property), fieldId(at)];
    const blank = Array.isArray(value) ? [] : value === false ? value : '';
    const isChanged = value !== undefined && JSON.stringify(value) !== JSON.stringify(known ?? blank);
    const node = (
      <Question id={id} asked={asked} value={value ?? known} isFirst={at === 0 && !form.notice?.faults} />
    );
    return { node, isMore, isFilled: isChanged || isWrong(form, id) };
  });
}

function linkQuestions({ scope, form }: NewTaskProps): FormQuestion[] {
  return linksOf(scope).map((property, at) => {
    const [chosen, id] = [form.linked.get(property.name) ?? [], linkId(at)];
    const node = <LinkQuestion {...{ id, scope, property, chosen }} />;
    return { node, isMore: true, isFilled: chosen.length > 0 || isWrong(form, id) };
  });
}

const isWrong = ({ notice }: NewTaskForm, id: string): boolean =>
  notice?.faults?.some((fault) => fault.id === id) === true;

const fieldId = (at: number): string => `new-${at}`;
const linkId = (at: number): string => `new-link-${at}`;

export const controlsOf = (scope: Scope): ValueControl[] => [
  ...keysOfForm(scope).map(({ property: { name } }, at) => ({ id: fieldId(at), label: labelOf(name), name })),
  ...linksOf(scope).map(({ name }, at) => ({ id: linkId(at), label: name, name })),
];

interface NewTaskProps {
  readonly scope: Scope;
  readonly form: NewTaskForm;
}

interface NewTaskForm {
  readonly key: string;
  readonly entered: EnteredTask;
  readonly linked: EnteredLinks;
  readonly notice?: Notice | undefined;
  /** The tasks from which the new task would take links, by their public ids. */
  readonly takes?: readonly string[];
}

function Question({ asked, id, value, isFirst }: QuestionProps): VNode {
  const { property, ask, isRequired, blankId } = asked;
  const hint =
    blankId && (blankId === 'numbered' ? 'If left blank, it gets the next number.' : 'May be left blank.');
  return (
    <Labelled
      id={id}
      label={labelOf(property.name)}
      hint={hint}
      isGroup={ask.by === 'options'}
      isRequired={isRequired}
      control={(attributes) => (
        <Control {...attributes} ask={ask} value={value} name={property.name} autofocus={isFirst} />
      )}
    />
  );
}

interface QuestionProps {
  readonly id: string;
  readonly asked: AskedKey;
  readonly value: Parameters<typeof Control>[0]['value'];
  readonly isFirst: boolean;
}

/** The page shown after a task was created that its creator does not see. */
export function GonePage({ workflow, name }: { readonly workflow: Workflow; readonly name: string }): VNode {
  return (
    <ConsolePage title={`${name} was created`}>
      <Empty icon="check" title={`${name} was created`} isPage>
        You cannot see it: your role shows only tasks that are assigned to you.
        <br />
        <a class="button" href={newTaskPath(workflow)}>
          Create another
        </a>
      </Empty>
    </ConsolePage>
  );
}

export function NewTaskLink({ scope }: Pick<NewTaskProps, 'scope'>): VNode | null {
  if (!mayCreate(scope)) return null;
  return (
    <a class="button primary" href={newTaskPath(scope.workflow)}>
      <Icon name="plus" /> New task
    </a>
  );
}

/**
 * Asks for the tasks at the other end of a relationship. Without JavaScript it takes one Unique ID. With JavaScript,
 * tasks are found while somebody types, and each chosen task becomes a checkbox that can be removed.
 */
function LinkQuestion({ scope, property, id, chosen }: LinkQuestionProps): VNode {
  const { attributes, fault } = useFault(id);
  const { name, links } = property;
  return (
    <div
      class="control"
      data-controller="finder"
      data-action="input->finder#ask keydown->finder#move click->finder#choose turbo:frame-load->finder#takeEntered"
      data-finder-url-value={`${newTaskPath(scope.workflow)}/links/${encodeURIComponent(name)}`}
      data-finder-multiple-value={String(links?.isMultiple)}
    >
      <label for={id}>{name}</label>
      <ul class="chosen" data-finder-target="chosen">
        {chosen.map((each) => (
          <Chosen name={name} id={each} />
        ))}
      </ul>
      <input
        id={id}
        name={name}
        autocomplete="off"
        data-finder-target="box"
        placeholder={`${links?.uniqueId() ?? ''} or words of a task`}
        {...attributes}
      />
      <template data-finder-target="template">
        <Chosen name={name} id="" />
      </template>
      {fault}
      <turbo-frame id={foundFrame(property)} class="found" data-finder-target="found" />
    </div>
  );
}

interface LinkQuestionProps {
  readonly id: string;
  readonly scope: Scope;
  readonly property: Property;
  readonly chosen: readonly string[];
}

const Chosen = ({ name, id }: { readonly name: string; readonly id: string }): VNode => (
  <li>
    <label class="tick">
      <input type="checkbox" name={name} value={id} checked />
      <span>{id}</span>
    </label>
  </li>
);
