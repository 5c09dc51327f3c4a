import { plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { type ChecklistItem } from '../../checklists/checklist-item.dto.js';
import { isOpenItem } from '../../common/column-values.js';
import { useFault } from '../parts/labelled.js';
import { ButtonForm, Form, FormKey, Hidden, RemoveButton } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Somebody } from '../parts/value.js';
import { Section } from '../parts/section.js';
import { stageOf, type TaskPageView, useTask } from './task-view.js';

/** The checklist: the items of the current stage, and all other items in a folded list. */
export function Checklist(): VNode {
  const view = useTask();
  const { items, path } = view;
  const now = itemsOfStage(view);
  const others = items.filter((item) => !now.includes(item));
  const done = now.filter(({ status }) => !isOpenItem(status)).length;
  const count = now.length > 0 && <span class="count">{`${done}/${now.length}`}</span>;
  const { attributes, fault } = useFault('checklist-add');
  return (
    <Section id="checklist" title={['Checklist ', count]} tabIndex={-1}>
      <ul>
        {now.map((item) => (
          <Item item={item} />
        ))}
      </ul>
      {view.isEditable && (
        <Form action={`${path}/checklist`} class="add">
          <FormKey />
          <label class="visually-hidden" for="checklist-add">
            New item
          </label>
          <input
            id="checklist-add"
            name="title"
            required
            maxLength={500}
            placeholder="New item"
            {...attributes}
          />
          <button type="submit">Add</button>
          {fault}
        </Form>
      )}
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, 'item')} of other stages</summary>
          <ul>
            {others.map((item) => (
              <Item item={item} showsStage />
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function Item({ item, showsStage = false }: ItemProps): VNode {
  const { path, isEditable } = useTask();
  const { id, title, status, editable } = item;
  const at = `${path}/checklist/${id}`;
  const [isDone, isSkipped] = [status === 'Completed', status === 'Skipped'];
  return (
    <li class={`item line ${status.toLowerCase()}`}>
      <Form action={at} class="item-tick">
        <Hidden fields={{ status: isDone ? 'Blank' : 'Completed' }} />
        <button type="submit" role="checkbox" aria-checked={isDone} class="quiet" disabled={!isEditable}>
          <span class="box" aria-hidden="true">
            {isDone && <Icon name="check" />}
            {isSkipped && <Icon name="dash" />}
          </span>
          <span class="item-title">{title}</span>
          {isSkipped && <span class="muted">skipped</span>}
        </button>
      </Form>
      {showsStage && <span class="muted small">{item.Stage}</span>}
      {item['Assigned To'] !== null && <Somebody email={item['Assigned To']} />}
      {isEditable && (
        <ButtonForm action={at} fields={{ status: isSkipped ? 'Blank' : 'Skipped' }} look="quiet small">
          {isSkipped ? 'Reopen' : 'Skip'}
        </ButtonForm>
      )}
      {isEditable && editable && <RemoveButton action={`${at}/remove`} what={title} />}
    </li>
  );
}

interface ItemProps {
  readonly item: ChecklistItem;
  readonly showsStage?: boolean;
}

export function itemsOfStage(view: TaskPageView): ChecklistItem[] {
  const { name } = stageOf(view);
  return view.items.filter((item) => item.Stage === name);
}
