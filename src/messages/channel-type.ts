import { type FilledText } from '../workflows/expressions/template.js';

/** To add one, write a file in channels/ and add a line to channel-types.ts. */
export interface ChannelType {
  readonly description: string;
  /** The JSON to post. Values must stay plain text, and must not become mentions, links or markup. */
  body(text: FilledText, task: ChannelTask): object;
}

export interface ChannelTask {
  readonly unique_id: string | null;
  readonly url: string;
}
