/** Requests to a running server over HTTP, with a key. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Language } from '#platform/errors'
import { CommandRefused } from '../command.ts'
import { workPhrases as words } from './phrases.ts'

export interface Server {
  url: string
  key: string
  language: Language
  /** Writes a line of progress. */
  notify(line: string): void
}

/** Tries of what may be sent again while the server cannot be reached: about two minutes. */
const maxTries = 30
const maxPauseMs = 5_000
/** Early enough for a person who waits, and not for a connection that only broke once. */
const triesBeforeNotice = 2

/**
 * Repeats the request until the server has answered, so it has to be safe to repeat. Throws `CommandRefused` with the server's own message
 * for a refusal.
 */
export async function requestJson(
  server: Server,
  method: 'GET' | 'POST',
  path: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Response> {
  for (let tried = 1; ; tried++) {
    const reply = await send(server, method, path, more).catch((error: Error) => error)
    const isBusy = !(reply instanceof Error) && reply.status === 503
    if (!(reply instanceof Error) && !isBusy) return reply.ok ? reply : refused(reply)
    if (tried === maxTries) {
      if (reply instanceof Error) throw new CommandRefused('SERVER_AWAY', words.away(server.url), 1)
      return refused(reply)
    }
    if (tried === triesBeforeNotice) server.notify(words.waiting(server.url)[server.language])
    await pause(Math.min(250 * tried, maxPauseMs))
  }
}

const send = (
  { url, key, language }: Server,
  method: string,
  path: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> },
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    redirect: 'error',
    headers: {
      authorization: `Bearer ${key}`,
      'accept-language': language,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function refused(reply: Response): Promise<never> {
  const text = await reply.text()
  const { error } = readJson(text) as { error?: { code?: string; message?: string } }
  const message = error?.message ?? `HTTP ${reply.status}`
  throw new CommandRefused(error?.code ?? 'NOT_KHERAD', { fa: message, en: message }, 1)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
