/** An attachment as a task holds it; its bytes are a blob of that id. The keys stand as PostgreSQL orders them. */
export interface StoredFile {
  readonly blobId: string;
  readonly filename: string;
  readonly contentType: string;
}
