import { type VNode } from 'preact';
import { filesIn } from '../../workflows/fields/task-change.js';
import { FORM_KEY } from '../form-body.js';
import { useFault } from '../parts/labelled.js';
import { Form, newFormKey, RemoveButton } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Reason } from '../parts/sayings.js';
import { editingOf, type FieldProps, placeOfTask, useTask } from './task-view.js';
import { text } from 'node:stream/consumers';
import { mediaTypeOf, PDF } from '../../attachments/files.controller.js';
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
              {previewOf({ contentType }) && (
                <a
                  class="button quiet small"
                  href={`${at}/${blobId}/preview`}
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
            action={`${at}?${FORM_KEY}=${newFormKey()}`}
            class="upload"
            enctype="multipart/form-data"
            data-controller="upload"
            data-action="dragover->upload#over dragleave->upload#out drop->upload#drop"
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
              data-action="click->upload#open upload#choose"
              {...attributes}
            />
            <button type="submit">Upload</button>
            <span class="muted small with-script">Drop files here, or choose them</span>
          </Form>
        )}
        {fault}
        {why !== undefined && <Reason text={why} />}
      </div>
    </div>
  );
}

type PreviewKind = 'image' | 'text' | 'pdf';

/** The kind of preview for a file's type: pictures directly, others in a frame. Undefined if there is no preview. */
function previewOf(file: Pick<OpenFile, 'contentType'>): PreviewKind | undefined {
  const type = mediaTypeOf(file);
  if (pictures.has(type)) return 'image';
  return type === PDF ? 'pdf' : type === 'text/plain' ? 'text' : undefined;
}

/** The kind of preview for this file; undefined if its type says PDF but its first bytes do not. */
export async function previewOfBytes(file: OpenFile): Promise<PreviewKind | undefined> {
  const kind = previewOf(file);
  if (kind !== 'pdf') return kind;
  // A store may refuse a range beyond the end.
  if (file.size < PDF_HEADER.length) return undefined;
  const beginning = await text(await file.read({ start: 0, end: PDF_HEADER.length - 1 }));
  return beginning === PDF_HEADER ? kind : undefined;
}

const PDF_HEADER = '%PDF-';

// Types that may contain scripts, such as SVG, are left out.
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Shows the contents of a file without a download. */
export function Preview({ file, kind, path }: PreviewProps): VNode {
  return (
    <>
      {kind === 'image' && <img class="preview" src={`${path}/shown`} alt={file.filename} />}
      {(kind === 'text' || kind === 'pdf') && (
        <iframe
          class="preview"
          src={`${path}/shown`}
          // Browsers show no PDF in a sandbox, and this frame only ever gets a PDF.
          {...(kind === 'text' && { sandbox: '' })}
          title={file.filename}
          referrerpolicy="no-referrer"
        />
      )}
      {kind === undefined && <p class="muted">This file has no preview. Open it with its link.</p>}
      <p>
        <a href={path} data-turbo="false">
          {file.filename}
        </a>
      </p>
    </>
  );
}

interface PreviewProps {
  readonly file: OpenFile;
  readonly kind: PreviewKind | undefined;
  readonly path: string;
}
