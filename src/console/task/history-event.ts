import { type EventType } from '../../entities/column-values.js';
import { type Output } from '../../schema/field-type.js';
import { type Message } from '../../lib/message.js';

/** An event of a task's history as the API tells it, in so far as pages show it. */
export interface HistoryEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: {
    readonly actor: EventActor;
    readonly execution: {
      readonly id?: string;
      readonly action?: string | null;
      readonly errors?: readonly Message[];
      readonly outcomes?: readonly { readonly name: string; readonly because?: Message }[];
    } | null;
    readonly changes?: Readonly<Record<string, HistoryChange>>;
    readonly checklist_item?: { readonly title: string; readonly status: string };
    readonly message?: { readonly to: string; readonly cause: Message };
  };
}

/** Who or what did it. */
export interface EventActor {
  readonly kind: 'user' | 'key' | 'definition' | 'system';
  readonly id?: string;
  readonly name?: string | null;
}

/** What became of one key: of most a value, of files and links what came and went. */
export interface HistoryChange {
  readonly from?: Output;
  readonly to?: Output;
  readonly added?: readonly { readonly filename: string }[];
  readonly removed?: readonly { readonly filename: string }[];
  readonly linked?: readonly string[];
  readonly unlinked?: readonly string[];
}
