import { type VNode } from 'preact';
import { mediaTypeOf } from '../../attachments/download-headers.js';
import { type OpenFile } from '../../attachments/files.service.js';
import { type SignedIn } from '../reader.js';

/** How a file is previewed: pictures as such, texts in a frame that runs nothing; undefined for all others. */
export function previewOf(file: Pick<OpenFile, 'contentType'>): 'image' | 'text' | undefined {
  const type = mediaTypeOf(file);
  if (pictures.has(type)) return 'image';
  return type === 'text/plain' ? 'text' : undefined;
}

// What may hold scripts, such as SVG, is none of them.
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What is in a file, without its being saved. */
export function Preview({ to, file, path }: PreviewProps): VNode {
  const kind = previewOf(file);
  const { onTask: words } = to.words;
  return (
    <>
      {kind === 'image' && <img class="preview" src={`${path}/shown`} alt={file.filename} />}
      {kind === 'text' && (
        <iframe
          class="preview"
          src={`${path}/shown`}
          sandbox=""
          title={file.filename}
          referrerpolicy="no-referrer"
        />
      )}
      {kind === undefined && <p class="muted">{words.noPreview}</p>}
      <p>
        <a href={path} data-turbo="false">
          {file.filename}
        </a>
      </p>
    </>
  );
}

interface PreviewProps {
  readonly to: SignedIn;
  readonly file: OpenFile;
  /** Where it is saved from. */
  readonly path: string;
}
