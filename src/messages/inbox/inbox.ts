export interface InboxState {
  /** The number of unread lines, counted among the newest 5,000 notifications. */
  readonly unread: number;
  /** Changes with the inbox. */
  readonly mark: string;
  /** The end of the feed of the workspace, after all events committed by then. */
  readonly position: number;
}

/** What a line is about, as forms send it: a task, or the assignments by one request. */
export type LineName = InboxTask | { readonly requestId: string };

export interface InboxTask {
  readonly workflowId: number;
  /** The id in its Task URL. */
  readonly publicId: string;
}
