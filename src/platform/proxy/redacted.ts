import type { ProxyConfig } from './settings.ts'

/** The proxy as it may be shown: without its password, and without a user name that is all its login, for that is a token. */
export function redactedProxy({ protocol, host, port, username, password }: ProxyConfig): string {
  const login = username === undefined ? '' : password === undefined ? '***@' : `${username}:***@`
  return `${protocol}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`
}
