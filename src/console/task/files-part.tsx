import { type VNode } from 'preact';
import { filesIn } from '../../workflows/fields/task-change.js';
import { FORM_KEY, FORM_USER } from '../form-body.js';
import { useFault } from '../parts/labelled.js';
import { Form, newFormKey, RemoveButton } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Reason } from '../parts/sayings.js';
import { editingOf, type FieldProps, placeOfTask, useTask } from './task-view.js';
import { mediaTypeOf } from '../../attachments/files.controller.js';
import { type OpenFile } from '../../attachments/files.service.js';

export function Files({ property }: FieldProps): VNode {
  const view = useTask();
  const files = filesIn(view.task.fieldValues[property.fieldId ?? '']);
  const at = `${view.path}/files/${encodeURIComponent(property.name)}`;
  const { isOpen, why } = editingOf(view, property);
  const place = placeOfTask(property);
  const { attributes, fault } = useFault(`${place}-file`);
  return (
    <div class="field" id={place} role="group" aria-label={property.name} tabIndex={-1}>
      <span class="field-name">{property.name}</span>
      <div class="field-value">
        {files.length === 0 && !view.isEditable && (
          <span class="muted" aria-label="None">
            –
          </span>
        )}
        <ul class="files stack gap-1">
          {files.map(({ blobId, filename, contentType }) => (
            <li>
              <a href={`${at}/${blobId}`} data-turbo="false">
                <Icon name="clip" />
                <span>{filename}</span>
              </a>
              {isPicture({ contentType }) && (
                <a
                  class="button quiet small"
                  href={`${at}/${blobId}/picture`}
                  data-turbo="false"
                  aria-label={`Preview: ${filename}`}
                >
                  Preview
                </a>
              )}
              {isOpen && <RemoveButton action={`${at}/${blobId}/remove`} what={filename} />}
            </li>
          ))}
        </ul>
        {isOpen && files.length < (property.files?.limit ?? 0) && (
          <Form
            action={`${at}?${FORM_USER}=${view.reader.user.id}&${FORM_KEY}=${newFormKey()}`}
            class="upload"
            enctype="multipart/form-data"
            data-controller="upload"
          >
            <label class="visually-hidden" for={`${place}-file`}>
              {property.name}
            </label>
            <input
              type="file"
              name="file"
              id={`${place}-file`}
              required
              title="Choose files, or drop them here"
              data-upload-target="file"
              data-action="click->upload#open dragenter->upload#open upload#choose"
              {...attributes}
            />
            <button type="submit">Upload</button>
          </Form>
        )}
        {fault}
        {why !== undefined && <Reason text={why} />}
      </div>
    </div>
  );
}

/** Whether the file's declared type is a picture that cannot contain scripts. SVG can contain scripts. */
export const isPicture = (file: Pick<OpenFile, 'contentType'>): boolean => pictures.has(mediaTypeOf(file));

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
