/**
 * `/realtime/v1`: not offered. A WebSocket is opened all the same, to say so: of one that is refused clients are told nothing but that it
 * failed, and they come back without end. Here each channel gets the reason, is closed, and the client leaves by itself.
 */
import type { WebSocket } from 'ws'
import type { App } from '#app'
import { declarationOf, errorBody, fail, type Language } from '#platform/errors'
import type { AppArea } from '../area.ts'
import '../phrases.ts'

/** A client without channels leaves after two heartbeats, which are 50 seconds; one that is cut off earlier comes back. */
const openMs = 90_000
/** Of this process; whoever comes then is refused without the reason. */
const maxLines = 2_000
const messageBytes = 16 * 1024
const maxMessages = 100
/** RFC 6455, section 7.4.1. */
const violated = 1008

export const realtimeArea: AppArea = {
  prefix: '/realtime/v1',
  name: 'realtime',
  async handle({ app, path, isUpgrade, language }) {
    if (isUpgrade && path === '/websocket' && linesOf(app).size < maxLines)
      return { status: 101, socket: { messageBytes, run: (line) => refuseChannels(app, line, language) } }
    return fail('CLOUD_REALTIME_UNAVAILABLE', {})
  },
  refused(failure, { language, requestId }) {
    const { message, code } = errorBody(failure, requestId, language).error
    return { status: failure.status, body: { code, message } }
  },
}

/** The open lines of each process. */
const open = new WeakMap<App, Set<WebSocket>>()

function linesOf(app: App): Set<WebSocket> {
  const found = open.get(app) ?? new Set()
  open.set(app, found)
  return found
}

function refuseChannels(app: App, line: WebSocket, language: Language): void {
  const reason = declarationOf('CLOUD_REALTIME_UNAVAILABLE')[language]({})
  const late = setTimeout(() => line.terminate(), openMs).unref()
  linesOf(app).add(line)
  line.once('close', () => {
    linesOf(app).delete(line)
    clearTimeout(late)
  })
  let messages = 0
  line.on('message', (data, isBinary) => {
    messages += 1
    if (messages > maxMessages) return void line.close(violated, 'too many messages')
    const asked = isBinary ? undefined : read(String(data))
    if (asked?.event === 'phx_join') {
      asked.answer('phx_reply', { status: 'error', response: { reason } }, line)
      asked.answer('phx_close', {}, line)
    } else if (asked?.event === 'heartbeat' || asked?.event === 'phx_leave')
      asked.answer('phx_reply', { status: 'ok', response: {} }, line)
  })
}

interface Asked {
  event: unknown
  answer(event: string, payload: object, line: WebSocket): void
}

/**
 * Either spelling of the protocol: an array, or an object with the same members. What the answer says again is a text or a number, as clients
 * send it: writing objects nested a thousand deep once more would end the process.
 */
function read(text: string): Asked | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const isList = Array.isArray(value)
  if (typeof value !== 'object' || value === null) return undefined
  const { join_ref, ref, topic, event } = isList ? membersOf(value as unknown[]) : (value as Members)
  if (![join_ref, ref, topic].every(isPlain)) return undefined
  return {
    event,
    answer: (name, payload, line) => {
      const members = { join_ref, ref, topic, event: name, payload }
      line.send(JSON.stringify(isList ? Object.values(members) : members))
    },
  }
}

type Members = Readonly<Record<string, unknown>>

const membersOf = ([join_ref, ref, topic, event]: unknown[]): Members => ({ join_ref, ref, topic, event })

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
