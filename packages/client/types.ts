/** One of these texts today; another one when the definition changes. */
export type Open<Options extends string> = Options | (string & {});

/** A file as a task shows it. */
export interface Attachment {
  readonly blobId: string;
  readonly contentType: string;
  readonly filename: string;
}

/** A file as it is sent: one that the task has, a new one, or one to be downloaded. */
export type SentFile =
  | { readonly blobId: string }
  | { readonly filename: string; readonly contentType: string; readonly base64contents: string }
  | {
      readonly remoteUrl: string;
      readonly filename?: string | undefined;
      readonly contentType?: string | undefined;
    };

/** What every task has. */
export interface BuiltIns {
  Stage: string;
  'Assigned To': string | null;
  'Task URL': string;
}

/** What is known of a workflow: `wts-types` writes it. */
export interface WorkflowTypes {
  /** A task without its links. */
  readonly fields: object;
  /** The tasks at the other ends of its links. */
  readonly links: object;
  /** What may be sent. */
  readonly payload: object;
  /** By the ids of actions, what they ask for. */
  readonly actions: object;
}

/** A workspace of which nothing is known. */
export type AnyWorkspace = Readonly<Record<string, AnyWorkflow>>;
export interface AnyWorkflow {
  readonly fields: BuiltIns & Record<string, unknown>;
  readonly links: object;
  readonly payload: object;
  readonly actions: Readonly<Record<string, object>>;
}

type Flat<T> = { [Name in keyof T]: T[Name] };

/** A task as a GET shows it. Its keys are those of the definition by which it was typed; it may have more, and keeps them. */
export type Task<W extends WorkflowTypes> = Flat<W['fields'] & W['links']>;

/** What lists show besides where `_fields` names it. */
export interface Instants {
  _created: string;
  _updated: string;
  _due: string | null;
}

/** A task that was read or written, and its version. */
export interface Versioned<W extends WorkflowTypes> {
  readonly task: Task<W>;
  /** For `ifMatch` of the next write. */
  readonly etag: string;
}

export interface Written<W extends WorkflowTypes> extends Versioned<W> {
  readonly isCreated: boolean;
  /** The last event of the write: who has followed it in the feed has caught up. Undefined where nothing has changed. */
  readonly eventId: string | undefined;
}

type Operator = '' | '[ne]' | '[gt]' | '[gte]' | '[lt]' | '[lte]' | '[contains]';
type FilterValue = string | number | boolean | null | undefined;
type Filter = FilterValue | readonly FilterValue[];

/** Which tasks, and in which order: filters by the names of fields, and parameters that begin with `_`. */
export type Query<W extends WorkflowTypes> = {
  readonly [Name in `${keyof W['fields'] & string}${Operator}`]?: Filter;
} & { readonly [Name in `_${string}` | `${string}.${string}`]?: Filter };

/** Refuses the keys of a query that it cannot have. */
export type OnlyOf<Known, Q> = { readonly [Name in Exclude<keyof Q, keyof Known>]: never };

/** What a list of this query shows of each task. */
export type Listed<W extends WorkflowTypes, Q> = Q extends { readonly _fields: string }
  ? Partial<Task<W> & Instants>
  : Task<W>;

/** How an action went. */
export interface Execution {
  readonly id: string;
  readonly status: Open<'Pending' | 'Success' | 'Fail'>;
  /** Why it failed. */
  readonly errors: readonly string[];
}

/** Whether an action can be performed now, and why not. */
export interface Explained {
  readonly id: string;
  readonly name: string;
  readonly available: boolean;
  readonly unmet: readonly string[];
}

/** What became of a row of a batch; rows count from 1. */
export interface BatchRow {
  readonly row: number;
  readonly status: Open<'created' | 'updated' | 'unchanged' | 'deleted' | 'error'>;
  readonly unique_id: string | null;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** What became of the tasks that a sync names in no row. */
export interface SyncSummary {
  readonly deleted: number;
  /** How many the filter has found that no row names; null where that cannot be told. */
  readonly found: number | null;
  /** Of a dry run: the first 100 of their Unique IDs. */
  readonly would_delete: readonly string[];
  /** Why none was deleted; empty where all is well. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** What became of each row, in order, and of what is in none of them. */
export interface Synced {
  readonly rows: readonly BatchRow[];
  readonly summary: SyncSummary;
}

export interface ChecklistItem {
  readonly id: string;
  readonly title: string;
  readonly Stage: string;
  readonly status: Open<'Blank' | 'Skipped' | 'Completed'>;
  readonly editable: boolean;
  readonly 'Assigned To': string | null;
}

export interface Comment {
  readonly author: string;
  readonly body: string;
  readonly timestamp: string;
}

/** What happened, as the feed and webhooks tell it. */
export interface WtsEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: {
    readonly workspace: string;
    readonly workflow: string | null;
    readonly task: { id: string; unique_id: string | null; url: string; version: number } | null;
    readonly actor: { readonly kind: string; readonly id?: string; readonly name?: string };
    readonly execution: { readonly id: string; readonly action: string; readonly status: string } | null;
    readonly request_id: string | null;
    readonly changes?: Readonly<Record<string, Change>>;
    readonly [more: string]: unknown;
  };
}

export type EventType = Open<
  | `${'task' | 'checklist_item'}.${'created' | 'updated' | 'deleted'}`
  | `execution.${'started' | 'succeeded' | 'failed' | 'cancelled'}`
  | 'comment.created'
  | 'definition.applied'
>;

/** How a value changed: of a field, of files, of links by their Unique IDs. */
export type Change =
  | { readonly from: unknown; readonly to: unknown }
  | { readonly added: readonly Attachment[]; readonly removed: readonly Attachment[] }
  | { readonly linked: readonly string[]; readonly unlinked: readonly string[] };
