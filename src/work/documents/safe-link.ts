/** The address if it is http, https or mailto, so that nothing runs; undefined for all others. */
export function safeLink(href: string): string | undefined {
  if (/^mailto:[^\s]+$/i.test(href)) return href
  if (!/^https?:\/\//i.test(href)) return undefined
  return URL.parse(href) && !/\s/.test(href) ? href : undefined
}
