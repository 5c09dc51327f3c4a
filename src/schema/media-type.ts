/** Whether a text is a media type of RFC 9110, with or without parameters: visible ASCII and spaces, 255 at most. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && mediaType.test(text);
}

/** The `type/subtype` of a media type, in lower case. */
export function essenceOf(text: string): string {
  const [essence = ''] = text.split(';', 1);
  return essence.trim().toLowerCase();
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const parameter = `${token}=(?:${token}|${quoted})`;
// A space belongs to what follows it, so that there is one way to read a text.
const mediaType = new RegExp(`^${token}/${token}(?: *;(?: *${parameter})?)*$`);
