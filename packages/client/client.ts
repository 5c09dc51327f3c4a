import { type Answer, type CallOptions, type ClientOptions, createCall, endOfFeed, inPath, type RequestOptions } from './call.js'; // prettier-ignore
import { follow, type Followed, type FollowOptions } from './follow.js';
import { type AnyWorkspace, type WorkflowTypes } from './types.js';
import { type Workflow, workflowOf } from './workflow.js';

/** The service, as a key knows it. */
export interface Client<Workspace extends { [Slug in keyof Workspace]: WorkflowTypes } = AnyWorkspace> {
  /** A workflow, by its id. */
  workflow<Slug extends keyof Workspace & string>(slug: Slug): Workflow<Workspace[Slug]>;
  readonly events: {
    /** Tells what happens, for as long as it is asked. */
    follow(options?: FollowOptions): AsyncGenerator<Followed, void, undefined>;
    /** A cursor behind all that has happened. */
    now(options?: CallOptions): Promise<string>;
  };
  /** The bytes of a file, by its `blobId`. */
  download(blobId: string, options?: CallOptions): Promise<Blob>;
  /** Any other request, with the same tries and errors. A path begins with `/`; its names are encoded already. */
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<Body>>;
}

/** A client of the service. Types of its workflows are made by `wts-types`; without them all names and values are taken. */
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
export { type BatchOptions, type SyncOptions } from './batch.js';
export * from './errors.js';
export { type Followed, type FollowOptions } from './follow.js';
export type * from './types.js';
export { verifyWebhook } from './verify-webhook.js';
export { type ActOptions, type Workflow, type WriteOptions } from './workflow.js';
