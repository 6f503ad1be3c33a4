import type { ClientConfig } from 'pg'

/** The socket of a PostgreSQL without a network address. It is read anew for every connection: after a restart the folder may be another one. */
export interface SocketAddress {
  socketFolder: string
  port: number
  user: string
  password?: string
  database: string
  /** The `cluster_name` of the intended server; a connection that leads to another server is closed again. */
  clusterName?: string
}

/**
 * The address as a connection string, fit for `DATABASE_URL`. The host before the path is only there because a URL
 * needs one: both pg and libpq let the parameter `host` win.
 */
export function socketUrl(address: SocketAddress): string {
  const url = new URL('postgres://localhost')
  url.username = encodeURIComponent(address.user)
  if (address.password !== undefined) url.password = encodeURIComponent(address.password)
  url.port = String(address.port)
  url.pathname = `/${encodeURIComponent(address.database)}`
  url.searchParams.set('host', address.socketFolder)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

/** Settings that every connection of Kherad shares; `PGHOST` and similar variables of the environment have no effect. */
export function clientConfig(url: string | SocketAddress): ClientConfig {
  return {
    connectionString: typeof url === 'string' ? url : socketUrl(url),
    application_name: 'kherad',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
  }
}

/** The address as it may be shown, without user and password. */
export function displayAddress(url: string | SocketAddress): string {
  if (typeof url !== 'string') return url.socketFolder
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}
