/** A number in a control, with the reader's decimal sign. Other texts only lose the spaces at their ends. */
export function numberInControl(text: string, locale: string): string {
  return /^-?\d+\.\d+$/.test(text) ? text.replace('.', decimalSign(locale)) : text.trim();
}

/**
 * Returns a typed number in the form of the API. `12,50`, `,5`, `1 234,50` and `1.234,50` are numbers for
 * every reader. `1,234` is ambiguous unless the comma is the reader's decimal sign. An ambiguous or invalid
 * number gets a space before it, so that the API refuses it.
 */
export function typedNumber(typed: string, locale: string): string {
  const text = typed
    .trim()
    .replace(/^−/, '-')
    .replace(/^\+(?=[\d.,])/, '')
    .replace(/^(-?)(?=[.,]\d)/, '$10');
  const own = decimalSign(locale);
  const readings = [own, own === ',' ? '.' : ','].flatMap((sign) => readAs(sign, text) ?? []);
  const isOne = new Set(readings).size === 1 || (readings.length > 0 && text.includes(own));
  return isOne ? (readings[0] ?? '') : text && ` ${text}`;
}

/** Reads a text as a number with this decimal sign and optional digit groups; undefined for other texts. */
function readAs(sign: string, text: string): string | undefined {
  const group = `[${sign === ',' ? '.' : ','}\\p{Zs}'’]`;
  const pattern = `^(-?(?:\\d+|[1-9]\\d{0,2}(${group})(?:\\d{2,3}\\2)*\\d{3}))(?:[${sign}](\\d+))?$`;
  const [, whole, , places] = new RegExp(pattern, 'u').exec(text) ?? [];
  if (whole === undefined) return undefined;
  return whole.replace(/[^-\d]/g, '') + (places === undefined ? '' : `.${places}`);
}

function decimalSign(locale: string): ',' | '.' {
  return new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.';
}
