/** The name of a task: its Unique ID, or the id in its Task URL, which every task has. */
export type TaskName = string | PublicName;

export interface PublicName {
  readonly publicId: string;
}

export const textOfName = (name: TaskName): string => (typeof name === 'string' ? name : name.publicId);

export function nameOf({ uniqueValue, publicId }: Named): TaskName {
  return uniqueValue ?? { publicId };
}

interface Named extends PublicName {
  readonly uniqueValue: string | null;
}
