import { type FieldType } from './field-type.js';
import { checkbox } from './types/checkbox.js';
import { currency } from './types/currency.js';
import { date } from './types/date.js';
import { datetime } from './types/datetime.js';
import { email } from './types/email.js';
import { file } from './types/file.js';
import { longText } from './types/long-text.js';
import { multipleSelect } from './types/multiple-select.js';
import { number } from './types/number.js';
import { person } from './types/person.js';
import { phone } from './types/phone.js';
import { singleSelect } from './types/single-select.js';
import { text } from './types/text.js';
import { uniqueId } from './types/unique-id.js';
import { url } from './types/url.js';

/** Every type that a field may have, by the identifier that definitions use. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['text', text],
  ['longText', longText],
  ['number', number],
  ['currency', currency],
  ['phone', phone],
  ['date', date],
  ['datetime', datetime],
  ['person', person],
  ['singleSelect', singleSelect],
  ['multipleSelect', multipleSelect],
  ['checkbox', checkbox],
  ['uniqueId', uniqueId],
  ['file', file],
  ['email', email],
  ['url', url],
]);
