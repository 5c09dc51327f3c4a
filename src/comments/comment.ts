/** A comment as the API shows it. */
export interface Comment {
  /** The e-mail of a user, or `API`. */
  readonly author: string;
  readonly body: string;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly timestamp: string;
}

/** A comment as it is stored, with the e-mail of its author. */
export interface StoredComment {
  readonly author: string | null;
  readonly body: string;
  readonly createdAt: Date;
}

/** Writes a comment; what no user has said was said by a program. */
export function serializeComment({ author, body, createdAt }: StoredComment): Comment {
  return { author: author ?? 'API', body, timestamp: createdAt.toISOString() };
}
