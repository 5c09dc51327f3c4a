import { type FilledText } from '../entities/json-columns.js';

/** A type of channel, whole. Add one: a file in channels/, and a line in channel-types.ts. */
export interface ChannelType {
  /** What the reference says of it. */
  readonly description: string;
  /** The JSON that is posted. Values of the text must come out as text: no mention, no link, no markup. */
  body(text: FilledText, task: ChannelTask): object;
}

/** The task that a post is about. */
export interface ChannelTask {
  readonly unique_id: string | null;
  readonly url: string;
}
