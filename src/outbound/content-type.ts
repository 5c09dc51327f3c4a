const token = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
const quoted = String.raw`"(?:[ !#-\x5b\x5d-~]|\\[ -~])*"`;
// Spaces belong to the semicolon or the parameter after them, so that no text can be read in two ways.
const mediaType = new RegExp(String.raw`^${token}/${token}(?: *;(?: *${token}=(?:${token}|${quoted}))?)*$`);

/** The header as it was sent if it is a media type of at most 255 characters. */
export function contentTypeOf(header: string | undefined): string | undefined {
  return header !== undefined && header.length <= 255 && mediaType.test(header) ? header : undefined;
}
