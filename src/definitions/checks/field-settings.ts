import { type FieldDefinition } from '../definition.js';
import { checkDistinct, checkName } from './names.js';
import { type Report } from './report.js';

const settings = [
  { key: 'options', types: ['singleSelect', 'multipleSelect'] },
  { key: 'decimals', types: ['number', 'currency'] },
  { key: 'limit', types: ['file'] },
  { key: 'autoincrement', types: ['uniqueId'] },
] as const;

/** Reports settings that the field's type does not take, lacks, or takes in another form. */
export function checkSettings(field: FieldDefinition, report: Report): void {
  for (const { key, types } of settings) {
    const isFitting = types.some((type) => type === field.type);
    if (field[key] !== undefined && !isFitting) report(field, key, `is only for ${types.join(' and ')}`);
    if (key === 'options' && field[key] === undefined && isFitting) report(field, key, 'is required');
  }
  if (field.options) checkOptions(field.options, report);
}

function checkOptions(options: readonly string[], report: Report): void {
  options.forEach((option, index) => {
    checkName(options, index, option, report, 255);
  });
  const uses = options.map((text, key) => ({ holder: options, key, text }));
  checkDistinct(uses, 'is given twice', report);
}
