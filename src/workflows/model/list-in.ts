/** The list with this key; rows and compiled workflows keep it in their settings. */
export function listIn(holder: object, list: string): readonly object[] {
  const settings: unknown = Reflect.get(holder, 'settings') ?? holder;
  const elements: unknown = settings instanceof Object ? Reflect.get(settings, list) : undefined;
  return Array.isArray(elements) ? elements : none;
}

// One list, so that caches by list hold.
const none: readonly object[] = [];
