/**
 * `/realtime/v1`: not offered. A WebSocket is opened all the same, to say so: of one that is refused clients are told nothing but that it
 * failed, and they come back without end. Here each channel gets the reason, is closed, and the client leaves by itself.
 */
import type { WebSocket } from 'ws'
import { declarationOf, errorBody, fail, type Language } from '#platform/errors'
import type { AppArea } from '../area.ts'
import '../phrases.ts'

/** A client without channels leaves after two heartbeats, which are 50 seconds; one that is cut off earlier comes back. */
const openMs = 90_000
/** Of this process; whoever comes then is refused without the reason. */
const maxLines = 2_000
const messageBytes = 16 * 1024
/** Of a line, pings counted: a client that is refused its channels sends a few. */
const maxMessages = 100
/** Answers that a client does not read are not kept for it. */
const maxUnreadBytes = 16 * 1024
/** Of each text that an answer says again: topics are names. */
const maxCharacters = 1_000

export const realtimeArea: AppArea = {
  prefix: '/realtime/v1',
  name: 'realtime',
  async handle({ path, isUpgrade, language }) {
    if (isUpgrade && path === '/websocket' && open.size < maxLines)
      return { status: 101, socket: { messageBytes, run: (line) => refuseChannels(line, language) } }
    return fail('CLOUD_REALTIME_UNAVAILABLE', {})
  },
  refused(failure, { language, requestId }) {
    const { message, code } = errorBody(failure, requestId, language).error
    return { status: failure.status, body: { code, message } }
  },
}

const open = new Set<WebSocket>()

function refuseChannels(line: WebSocket, language: Language): void {
  // Many may have been let in before the first of them was open.
  if (open.size >= maxLines) return void line.terminate()
  const reason = declarationOf('CLOUD_REALTIME_UNAVAILABLE')[language]({})
  const late = setTimeout(() => line.terminate(), openMs).unref()
  open.add(line)
  line.once('close', () => {
    open.delete(line)
    clearTimeout(late)
  })
  let messages = 0
  const isAdmitted = (): boolean => {
    messages += 1
    if (messages <= maxMessages && line.bufferedAmount <= maxUnreadBytes) return true
    line.terminate()
    return false
  }
  line.on('ping', isAdmitted)
  line.on('message', (data, isBinary) => {
    const asked = isAdmitted() && !isBinary ? read(String(data)) : undefined
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
 * Either spelling of the protocol: an array, or an object with the same members. What the answer says again is a short text or a number, as clients
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

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= maxCharacters : typeof value !== 'object' || value === null
