import { type JsonMapping } from './json-value.js';
import { asText } from './shape.js';
import { type StepDefinition, type StepType } from './step-definition.js';
import { isStepType, stepKinds, type StepKinds } from './step-kinds.js';

/** Reads one step; a step of an unknown type, which the schema refuses, is left out. */
export function readStep(raw: JsonMapping): StepDefinition | undefined {
  const type = asText(raw.type);
  return isStepType(type) ? readStepOf(type, raw) : undefined;
}

function readStepOf<T extends StepType>(type: T, raw: JsonMapping): StepDefinition<T> {
  const kind: StepKinds[T] = stepKinds[type];
  return { name: asText(raw.name), type, ...kind.read(raw) };
}
