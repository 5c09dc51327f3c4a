import { type VNode } from 'preact';
import { filesIn } from '../../schema/file-changes.js';
import { type Property } from '../../schema/property.js';
import { ButtonForm, Faults, Form } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Reason } from '../parts/sayings.js';
import { keptOf, placeOfTask, type TaskPageView } from './task-view.js';

/** The files of a field: to be fetched, added and taken away. */
export function Files({
  view,
  property,
}: {
  readonly view: TaskPageView;
  readonly property: Property;
}): VNode {
  const { path, task, to, entry } = view;
  const { words } = to;
  const files = filesIn(task.fieldValues[property.fieldId ?? '']);
  const at = `${path}/files/${encodeURIComponent(property.name)}`;
  const kept = keptOf(view, property);
  const isFull = files.length >= (property.files?.limit ?? 0);
  const place = placeOfTask(property);
  const messages = entry?.name === property.name ? entry.messages : [];
  return (
    <div class="field" id={place} role="group" aria-label={property.name} tabIndex={-1}>
      <span class="field-name">{property.name}</span>
      <div class="field-value">
        <ul class="files">
          {files.map(({ blobId, filename }) => (
            <li>
              <a href={`${at}/${blobId}`} data-turbo="false">
                <Icon name="clip" />
                <span>{filename}</span>
              </a>
              {kept === undefined && view.isEditable && (
                <ButtonForm
                  action={`${at}/${blobId}/remove`}
                  look="quiet"
                  label={`${words.remove}: ${filename}`}
                >
                  <Icon name="cross" />
                </ButtonForm>
              )}
            </li>
          ))}
        </ul>
        {kept === undefined && !isFull && view.isEditable && (
          <Form
            action={at}
            class="upload"
            enctype="multipart/form-data"
            data-controller="upload"
            data-upload-failed-value={words.task.notSent}
            data-action="dragover->upload#over dragleave->upload#out drop->upload#drop"
            data-turbo-action="replace"
          >
            <label class="visually-hidden" for={`${place}-file`}>
              {property.name}
            </label>
            <input
              type="file"
              name="file"
              id={`${place}-file`}
              required
              data-upload-target="file"
              data-action="upload#choose"
              {...(messages.length > 0 && { 'aria-invalid': true, 'aria-describedby': `${place}-fault` })}
            />
            <button type="submit">{words.task.upload}</button>
            <span class="muted small with-script">{words.task.drop}</span>
          </Form>
        )}
        {view.isEditable && kept !== undefined && <Reason to={to} text={kept} />}
        <ul class="uploads" aria-live="polite" />
        <Faults to={to} id={`${place}-fault`} messages={messages} />
      </div>
    </div>
  );
}
