import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, type SocketAddress } from './address.ts'
import { clientOf } from './client.ts'
import type { DbLog } from './db.ts'

/** Callbacks of a listener. Between `up` and `down` no message is missed, so caches may rely on it only then. */
export interface ListenEvents {
  message(channel: string, payload: string): void
  /** Listening has started or resumed; messages before this may have been missed. */
  up(): void
  /** The connection is lost: from now on messages may be missed. */
  down(): void
}

const firstRetryMs = 100
const maxRetryMs = 5_000
/** A connection whose peer disappeared silently is detected within two of these intervals. */
const heartbeatMs = 5_000

interface Listener {
  readonly channels: readonly string[]
  readonly on: ListenEvents
  isUp: boolean
}

/** All listeners of a process, on one connection, which is open while there is a listener. */
export class SharedListener {
  readonly #url: string | SocketAddress
  readonly #log: DbLog
  #line: ListenConnection | undefined

  constructor(url: string | SocketAddress, log: DbLog) {
    this.#url = url
    this.#log = log
  }

  /** Listens until disposed. */
  listen(channels: readonly string[], on: ListenEvents): AsyncDisposable {
    this.#line ??= new ListenConnection(this.#url, this.#log)
    const line = this.#line
    const listener = { channels, on, isUp: false }
    line.add(listener)
    return {
      [Symbol.asyncDispose]: async () => {
        if (line.remove(listener) > 0) return
        if (this.#line === line) this.#line = undefined
        await line.end()
      },
    }
  }
}

/** One connection, which accepts one statement at a time. */
interface Connection {
  query(text: string): Promise<unknown>
  /** Ends the connection with this error. */
  fail(error: unknown): void
}

/** The listening connection. When it is lost, a new one is made, with growing pauses between attempts. */
class ListenConnection {
  readonly #url: string | SocketAddress
  readonly #log: DbLog
  readonly #stop = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #maintenance: Promise<void>
  #retryMs = firstRetryMs
  #connection: Connection | undefined

  constructor(url: string | SocketAddress, log: DbLog) {
    this.#url = url
    this.#log = log
    this.#maintenance = this.#maintain()
  }

  add(listener: Listener): void {
    this.#listeners.add(listener)
    if (this.#connection) void this.#begin(listener, this.#connection)
  }

  /** Removes the listener and returns how many remain. Its channels stay until the connection ends: they are a few names of the program. */
  remove(listener: Listener): number {
    this.#listeners.delete(listener)
    return this.#listeners.size
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#maintenance
  }

  async #maintain(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const error = await this.#listenOnce()
      if (signal.aborted) return
      const retryMs = this.#retryMs
      this.#log.warn({ err: error, retryMs }, 'the listening connection to the database is lost')
      // Half of the pause is random, so that many processes do not reconnect at the same moment.
      await pause(retryMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
      this.#retryMs = Math.min(retryMs * 2, maxRetryMs)
    }
  }

  /** Runs for the lifetime of one connection; returns why it ended. */
  async #listenOnce(): Promise<unknown> {
    const { signal } = this.#stop
    const client = new (clientOf(this.#url))(clientConfig(this.#url))
    const ended = Promise.withResolvers<unknown>()
    client.on('error', ended.resolve)
    client.on('end', () => ended.resolve(new Error('Connection terminated')))
    client.on('notification', ({ channel, payload }) => this.#onMessage(channel, payload ?? ''))
    const onStop = () => ended.resolve(undefined)
    signal.addEventListener('abort', onStop)
    let heartbeat: NodeJS.Timeout | undefined
    try {
      // When stopping, do not wait for an address that does not answer.
      await Promise.race([client.connect(), ended.promise])
      if (signal.aborted) return undefined
      const connection = connectionOf(client, ended.resolve)
      this.#connection = connection
      heartbeat = startHeartbeat(connection)
      for (const listener of this.#listeners) void this.#begin(listener, connection)
      return await ended.promise
    } catch (error) {
      return error
    } finally {
      clearInterval(heartbeat)
      signal.removeEventListener('abort', onStop)
      this.#connection = undefined
      this.#goDown()
      await close(client)
    }
  }

  async #begin(listener: Listener, connection: Connection): Promise<void> {
    try {
      for (const channel of listener.channels)
        await connection.query(`listen ${pg.escapeIdentifier(channel)}`)
      if (this.#connection !== connection || !this.#listeners.has(listener)) return
      this.#retryMs = firstRetryMs
      listener.isUp = true
      listener.on.up()
    } catch (error) {
      connection.fail(error)
    }
  }

  #onMessage(channel: string, payload: string): void {
    for (const { channels, on } of this.#listeners)
      if (channels.includes(channel)) on.message(channel, payload)
  }

  #goDown(): void {
    for (const listener of this.#listeners) {
      const { isUp, on } = listener
      listener.isUp = false
      if (isUp) on.down()
    }
  }
}

function connectionOf(client: pg.Client, fail: (error: unknown) => void): Connection {
  let last: Promise<unknown> = Promise.resolve()
  return {
    query(text) {
      const asked = last.then(() => client.query(text))
      last = asked.catch(() => undefined)
      return asked
    },
    fail,
  }
}

/** An idle connection does not notice that its peer is gone, so it is queried at intervals. */
function startHeartbeat({ query: ask, fail }: Connection): NodeJS.Timeout {
  let answered = true
  const beat = () => {
    if (!answered) return fail(new Error('Connection terminated: no answer to the heartbeat'))
    answered = false
    ask('select 1').then(() => {
      answered = true
    }, fail)
  }
  return setInterval(beat, heartbeatMs).unref()
}

/** `end` also waits for the server to close its side, which a dead peer never does. */
async function close(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, pause(1_000, undefined, { ref: false })])
}
