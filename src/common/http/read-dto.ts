import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { ValidateBy, validateSync, type ValidationOptions } from 'class-validator';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { keyMeant } from '../did-you-mean.js';
import { FieldErrors } from '../field-errors.js';
import { keptText, type Message, messageOfText, say } from '../message.js';
import { isBlankText, isStorable } from '../text.js';

export function namesOf(dto: new () => object): string[] {
  const names = Reflect.getMetadata(
    DECORATORS.API_MODEL_PROPERTIES_ARRAY,
    dto.prototype as object,
  ) as string[];
  return names.map((name) => name.slice(1));
}

/** Whether an instance without values passes every check of its class. The result is cached. */
export function mayBeEmpty(dto: new () => object): boolean {
  let passes = emptyPasses.get(dto);
  if (passes === undefined) emptyPasses.set(dto, (passes = validateSync(new dto()).length === 0));
  return passes;
}

const emptyPasses = new WeakMap<new () => object, boolean>();

/** A value for a property of a DTO, from a query parameter or from a key of a JSON object. */
export type Payload = Json | undefined;

/**
 * Reads values into an instance of the class. Leaves out faulty properties, and collects one message for
 * each. `unknown` returns the message for a name that the class does not have.
 */
export function readDto<T extends object>(
  dto: new () => T,
  given: ReadonlyMap<string, Payload>,
  unknown: (name: string, names: ReadonlySet<string>) => Message,
): { value: T; errors: FieldErrors } {
  const errors = new FieldErrors();
  const names = new Set(namesOf(dto));
  for (const name of given.keys()) if (!names.has(name)) errors.add(name, unknown(name, names));
  // class-transformer fails on names such as `constructor`, so it gets known names only.
  const known = [...given].filter(([name]) => names.has(name));
  const value = plainToInstance(dto, Object.fromEntries(known));
  for (const { property, constraints = {} } of validateSync(value)) {
    for (const text of Object.values(constraints).slice(0, 1)) errors.add(property, messageOfText(text));
    Reflect.deleteProperty(value, property);
  }
  return { value, errors };
}

/** The message for an unknown key of a body of fixed shape. `what` names the object. */
export const noKeyOf = (what: string, name: string, names: ReadonlySet<string>): Message =>
  say`is not a key of ${what}${keyMeant(name, names)}`;

export const readPayload = <T extends object>(
  dto: new () => T,
  payload: JsonObject,
  what: string,
): { value: T; errors: FieldErrors } => readDto(dto, payload, (name, names) => noKeyOf(what, name, names));

/** Sets the message of a check. */
export const telling = (message: Message): ValidationOptions => ({ message: keptText(message) });

/** Checks that a value is present and not blank. */
export const IsFilled = (): PropertyDecorator =>
  check('isFilled', 'is required', (value) => value != null && !isBlankText(value));

/** Checks that a value is a text that can be stored. */
export const IsText = (): PropertyDecorator => check('isText', 'is not a text', isText);

const isText = (value: unknown): boolean => typeof value === 'string' && isStorable(value);

/** Checks that a value is a list of 1 to 1,000 texts that can be stored. */
export const IsTexts = (): PropertyDecorator =>
  applyDecorators(
    check('isList', say`is not a list of 1 to ${MAX_ITEMS} texts`, isList),
    check('isTexts', 'has an entry that is not a text', (value) => !isList(value) || value.every(isText)),
  );

const MAX_ITEMS = 1000;
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS;

function check(name: string, message: Message, validate: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, telling(message));
}
