import { type Answer, type CallOptions, type ClientOptions, createCall, endOfFeed, inPath, type RequestOptions } from './call.js'; // prettier-ignore
import { follow, type Followed, type FollowOptions } from './follow.js';
import { type AnyWorkspace, type WorkflowTypes } from './types.js';
import { type Workflow, workflowOf } from './workflow.js';

/** The service, with the rights of one key. */
export interface Client<Workspace extends { [Slug in keyof Workspace]: WorkflowTypes } = AnyWorkspace> {
  workflow<Slug extends keyof Workspace & string>(slug: Slug): Workflow<Workspace[Slug]>;
  readonly events: {
    /** Yields the events after a cursor, and then each new event. */
    follow(options?: FollowOptions): AsyncGenerator<Followed, void, undefined>;
    /** A cursor after all events so far. */
    now(options?: CallOptions): Promise<string>;
  };
  /** Downloads a file by its `blobId`. */
  download(blobId: string, options?: CallOptions): Promise<Blob>;
  /** Sends any other request, with the same retries and errors. `path` must begin with `/` and be encoded. */
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<Body>>;
}

/** Creates a client. Without types from `wts-types`, the client accepts all names and values. */
export function createClient<Workspace extends { [Slug in keyof Workspace]: WorkflowTypes } = AnyWorkspace>(
  options: ClientOptions,
): Client<Workspace> {
  const call = createCall(options);
  return {
    workflow: (slug) => workflowOf(call, slug),
    events: {
      follow: (followed = {}) => follow(call, followed),
      now: (asked) => endOfFeed(call, asked),
    },
    download: (blobId, asked) =>
      call('GET', `/api/v1/files${inPath(blobId)}`, asked, (answer) => answer.blob()),
    request: (method, path, asked) => call(method, path, asked),
  };
}

export {
  type Answer,
  type CallOptions,
  type ClientOptions,
  type QueryValues,
  type RequestOptions,
} from './call.js';
export { type BatchOptions } from './batch.js';
export * from './errors.js';
export { type Followed, type FollowOptions } from './follow.js';
export type * from './types.js';
export { verifyWebhook } from './verify-webhook.js';
export { type ActOptions, type Workflow, type WriteOptions } from './workflow.js';
