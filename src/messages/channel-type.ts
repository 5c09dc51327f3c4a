import { type FilledText } from '../workflows/expressions/template.js';

/**
 * A type of channel with all its behaviour. To add one, write a file in channels/ and add a line to channel-types.ts.
 */
export interface ChannelType {
  /** Its description in the reference. */
  readonly description: string;
  /** The JSON to post. Values must stay plain text, and must not become mentions, links or markup. */
  body(text: FilledText, task: ChannelTask): object;
}

/** The task that a post is about. */
export interface ChannelTask {
  readonly unique_id: string | null;
  readonly url: string;
}
