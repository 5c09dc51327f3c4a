/** The value of a key that the check has vouched for. */
export function known<Key, Value>(map: ReadonlyMap<Key, Value | undefined>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error('a definition that was not checked cannot be stored');
  return value;
}
