import { type VNode } from 'preact';
import { text } from 'node:stream/consumers';
import { mediaTypeOf, PDF } from '../../attachments/files.controller.js';
import { type OpenFile } from '../../attachments/files.service.js';

/** How a file is previewed. */
type PreviewKind = 'image' | 'text' | 'pdf';

/** How a file of its type is previewed: pictures as such, all else in a frame; undefined where it is not. */
export function previewOf(file: Pick<OpenFile, 'contentType'>): PreviewKind | undefined {
  const type = mediaTypeOf(file);
  if (pictures.has(type)) return 'image';
  return type === PDF ? 'pdf' : type === 'text/plain' ? 'text' : undefined;
}

/** How this file is previewed; undefined if its type says PDF and its bytes do not begin as one. */
export async function previewOfBytes(file: OpenFile): Promise<PreviewKind | undefined> {
  const kind = previewOf(file);
  if (kind !== 'pdf') return kind;
  // A store may refuse a range beyond the end.
  if (file.size < PDF_HEADER.length) return undefined;
  const beginning = await text(await file.read({ start: 0, end: PDF_HEADER.length - 1 }));
  return beginning === PDF_HEADER ? kind : undefined;
}

const PDF_HEADER = '%PDF-';

// What may hold scripts, such as SVG, is none of them.
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What is in a file, without its being saved. */
export function Preview({ file, kind, path }: PreviewProps): VNode {
  return (
    <>
      {kind === 'image' && <img class="preview" src={`${path}/shown`} alt={file.filename} />}
      {(kind === 'text' || kind === 'pdf') && (
        <iframe
          class="preview"
          src={`${path}/shown`}
          // Browsers show no PDF in a sandbox; what the frame is sent is nothing else than one.
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
  /** Where it is saved from. */
  readonly path: string;
}
