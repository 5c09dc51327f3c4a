export interface InboxState {
  /** The number of unread lines, counted among the newest 5,000 notifications. */
  readonly unread: number;
  /** Changes with the inbox. */
  readonly mark: string;
  /** The end of the feed of the workspace, after all events committed by then. */
  readonly position: number;
}

/** The task of a line. */
export interface InboxTask {
  readonly workflowId: number;
  /** The id in its Task URL. */
  readonly publicId: string;
}
