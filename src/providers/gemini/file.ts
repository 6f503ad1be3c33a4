/** The id of a file in an address such as `…/v1beta/files/abc123:download?alt=media`. */
export const fileOf = (uri: string): string | undefined =>
  /(?:^|\/)files\/([\w-]{1,128})(?::download)?(?:\?|$)/.exec(uri)?.[1]
