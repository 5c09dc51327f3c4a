/** Words by keys, any of which may be asked for: what has no words of its own is shown as its key. */
export type WordsByKey = Readonly<Record<string, string>>;
