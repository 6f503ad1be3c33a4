/** http, https, mailto, and nothing that runs; undefined for the rest. */
export function safeLink(href: string): string | undefined {
  if (/^mailto:[^\s]+$/i.test(href)) return href
  if (!/^https?:\/\//i.test(href)) return undefined
  return URL.parse(href) && !/\s/.test(href) ? href : undefined
}
