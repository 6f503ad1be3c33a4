import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, type SocketAddress } from './address.ts'
import type { DbLog } from './db.ts'

/** What a listener is told. Between `up` and `down` no message is missed; a cache may trust itself only there. */
export interface ListenEvents {
  message(channel: string, payload: string): void
  /** Listening has begun, at first or again. Whatever was told before is unknown. */
  up(): void
  /** The connection is lost: messages may be missed from here on. */
  down(): void
}

const firstRetryMs = 100
const longestRetryMs = 5_000
/** A peer that vanished without a word is noticed within two of these. */
const heartbeatMs = 5_000

/** Listens for ever on a connection of its own, and connects again (with growing pauses) whenever it is lost. */
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
    // Half of the pause is chance, so that many processes do not come back in one wave.
    await pause(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop, ref: false }).catch(
      () => undefined,
    )
    retryMs = Math.min(retryMs * 2, longestRetryMs)
  }
}

/** Lives as long as one connection does; answers why it ended. */
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
    // When we are told to stop, an address that does not answer is not waited for.
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

/** An idle connection tells nothing when its peer is gone, so it is asked now and then. */
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

/** `end` waits for the server's side too, which a dead peer never gives. */
async function close(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, pause(1_000, undefined, { ref: false })])
}
