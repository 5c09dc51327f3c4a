/** The list with this key. Rows and compiled workflows have the list in their settings. */
export function listIn(holder: object, list: string): readonly object[] {
  const settings: unknown = Reflect.get(holder, 'settings') ?? holder;
  const elements: unknown = settings instanceof Object ? Reflect.get(settings, list) : undefined;
  return Array.isArray(elements) ? elements : none;
}

// All callers get the same empty list, because some caches use a list as their key.
const none: readonly object[] = [];
