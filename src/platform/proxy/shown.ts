import type { ProxyConfig } from '#platform/config'

/** The proxy as it may be shown: without its password. */
export function shownProxy({ protocol, host, port, username, password }: ProxyConfig): string {
  const login = username === undefined ? '' : `${username}${password === undefined ? '' : ':***'}@`
  return `${protocol}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`
}
