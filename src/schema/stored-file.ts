import { type Stored } from './field-type.js';

/** An attachment as a task holds it; its bytes are a blob of that id. The keys stand as PostgreSQL orders them. */
export interface StoredFile {
  readonly blobId: string;
  readonly filename: string;
  readonly contentType: string;
}

/** The attachments in a stored value. */
export function filesIn(stored: Stored | undefined): readonly StoredFile[] {
  return Array.isArray(stored) ? stored.filter((item: string | StoredFile) => typeof item !== 'string') : [];
}
