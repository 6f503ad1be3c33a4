import type { ProxyConfig } from './settings.ts'

/** The proxy's address without its password, and without a user name that has no password, since that is a token. */
export function redactedProxy({ protocol, host, port, username, password }: ProxyConfig): string {
  const login = username === undefined ? '' : password === undefined ? '***@' : `${username}:***@`
  return `${protocol}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`
}
