import { nextOf } from '../support/pages.js';
import { type Client } from '../support/service.js';

/** An event as the feed and histories tell it. */
export interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly workspace: string;
    readonly workflow: string | null;
    readonly task: { id: string; unique_id: string | null; url: string; version: number } | null;
    readonly actor: { readonly kind: string; readonly id?: string };
    readonly cause: object | null;
    readonly execution: object | null;
    readonly request_id: string | null;
    readonly changes?: Readonly<Record<string, unknown>>;
    readonly checklist_item?: object;
    readonly comment?: object;
  };
}

/** All events behind an address of the feed by now, and the address behind them. */
export async function eventsOf(api: Client, address: string): Promise<{ events: Event[]; next: string }> {
  const events: Event[] = [];
  for (let next = address; ;) {
    const answer = await api.get(next).expect(200);
    const page = answer.body as Event[];
    events.push(...page);
    next = nextOf(answer);
    if (page.length === 0) return { events, next };
  }
}
