import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, type SocketAddress } from './address.ts'
import type { DbLog } from './db.ts'

/** Callbacks of a listener. Between `up` and `down` no message is missed, so caches may rely on it only then. */
export interface ListenEvents {
  message(channel: string, payload: string): void
  /** Listening has started or resumed; messages before this may have been missed. */
  up(): void
  /** The connection is lost: messages may be missed from here on. */
  down(): void
}

const firstRetryMs = 100
const longestRetryMs = 5_000
/** A connection whose peer disappeared silently is detected within two of these intervals. */
const heartbeatMs = 5_000

/** Listens until disposed on a connection of its own, and reconnects with growing pauses whenever it is lost. */
export function listenForEver(
  url: string | SocketAddress,
  channels: readonly string[],
  on: ListenEvents,
  log: DbLog,
): AsyncDisposable {
  const stop = new AbortController()
  const done = keepListening(url, channels, on, log, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

async function keepListening(
  url: string | SocketAddress,
  channels: readonly string[],
  on: ListenEvents,
  log: DbLog,
  stop: AbortSignal,
): Promise<void> {
  let retryMs = firstRetryMs
  while (!stop.aborted) {
    const up = () => {
      retryMs = firstRetryMs
      on.up()
    }
    const error = await listenOnce(
      url,
      channels,
      { ...on, message: on.message.bind(on), up, down: on.down.bind(on) },
      stop,
    )
    if (stop.aborted) return
    log.warn({ err: error, retryMs }, 'the listening connection to the database is lost')
    // Half of the pause is random, so that many processes do not reconnect at the same moment.
    await pause(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop, ref: false }).catch(
      () => undefined,
    )
    retryMs = Math.min(retryMs * 2, longestRetryMs)
  }
}

/** Runs for the lifetime of one connection; returns why it ended. */
async function listenOnce(
  url: string | SocketAddress,
  channels: readonly string[],
  on: ListenEvents,
  stop: AbortSignal,
): Promise<unknown> {
  const client = new pg.Client(clientConfig(url))
  const ended = Promise.withResolvers<unknown>()
  client.on('error', ended.resolve)
  client.on('end', () => ended.resolve(new Error('Connection terminated')))
  client.on('notification', ({ channel, payload }) => {
    if (!stop.aborted) on.message(channel, payload ?? '')
  })
  const onStop = () => ended.resolve(undefined)
  stop.addEventListener('abort', onStop)
  let isUp = false
  let heartbeat: NodeJS.Timeout | undefined
  try {
    // While stopping, an address that does not answer is not waited for.
    await Promise.race([client.connect(), ended.promise])
    if (stop.aborted) return undefined
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`)
    if (stop.aborted) return undefined
    isUp = true
    on.up()
    heartbeat = startHeartbeat(client, ended.resolve)
    return await ended.promise
  } catch (error) {
    return error
  } finally {
    clearInterval(heartbeat)
    stop.removeEventListener('abort', onStop)
    if (isUp && !stop.aborted) on.down()
    await close(client)
  }
}

/** An idle connection does not notice that its peer is gone, so it is queried at intervals. */
function startHeartbeat(client: pg.Client, fail: (error: unknown) => void): NodeJS.Timeout {
  let answered = true
  const beat = () => {
    if (!answered) return fail(new Error('Connection terminated: no answer to the heartbeat'))
    answered = false
    client.query('select 1').then(() => {
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
