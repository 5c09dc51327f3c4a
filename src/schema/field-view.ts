/** How people see a value that is not blank: pages have one part for each of these. */
export type ShownField =
  | { readonly as: 'line' | 'lines' | 'day' | 'instant' | 'tick' | 'person' | 'tags' | 'files' }
  /** With so many decimal places at least. */
  | { readonly as: 'number'; readonly decimals?: number }
  /** Leads to where the value says: an address on the Web, or one behind this scheme. */
  | { readonly as: 'address'; readonly scheme?: 'mailto:' | 'tel:' };

/** By what people enter a value: pages have one control for each of these. */
export type AskedField =
  | { readonly by: 'line'; readonly type?: 'email' | 'tel' | 'url'; readonly maxLength?: number }
  | { readonly by: 'lines'; readonly maxLength?: number }
  | { readonly by: 'day'; readonly min?: string; readonly max?: string }
  | { readonly by: 'number' | 'instant' | 'tick' | 'person' }
  | { readonly by: 'option'; readonly options: readonly string[]; readonly isRequired?: boolean }
  | { readonly by: 'options'; readonly options: readonly string[] }
  | { readonly by: 'files'; readonly limit: number | undefined };
