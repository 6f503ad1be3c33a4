/** A secret in groups of four, as people read and type it. */
export const inGroups = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(' ')

/** The file of recovery codes: what it is for, then a code a line. Lines end as every system's editor reads them. */
export const recoveryFile = (head: string, note: string, codes: readonly string[]): string =>
  [head, note, '', ...codes, ''].join('\r\n')
