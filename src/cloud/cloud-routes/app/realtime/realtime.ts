/**
 * `/realtime/v1` is not offered. A WebSocket is opened all the same, to say so: of a refused one clients learn nothing but that it failed, and they
 * try again without end. Here each channel gets the reason and is closed, and the client leaves by itself.
 */
import type { WebSocket } from 'ws'
import type { CloudKey } from '#cloud/clouds'
import { declarationOf, errorBody, fail, type Language } from '#platform/errors'
import { ExactNumber, readExactly } from '#platform/json'
import { scheduler } from '#platform/scheduler'
import type { AppArea } from '../area.ts'
import '../phrases.ts'

/** A client without channels leaves after two heartbeats, which are 50 seconds; a client that is cut off earlier connects again. */
const openMs = 90_000
/** The most connections of this process, and of one cloud; further ones are refused without the reason. */
const maxConnections = 2_000
const maxOfCloud = 500
const messageBytes = 16 * 1024
/** Messages of one connection, pings included: a client whose channels are refused sends a few. */
const maxMessages = 100
/** Answers that a client does not read are not kept for it. */
const maxUnreadBytes = 16 * 1024
/** Characters of each text that an answer repeats: topics are names. */
const maxCharacters = 1_000

export const realtimeArea: AppArea = {
  prefix: '/realtime/v1',
  name: 'realtime',
  async handle({ cloud, path, isUpgrade, language }) {
    if (!isUpgrade || path !== '/websocket' || !hasRoom(cloud)) fail('CLOUD_REALTIME_UNAVAILABLE', {})
    const run = (socket: WebSocket): void => {
      // Many connections may have been accepted before the first of them was open.
      if (hasRoom(cloud)) refuseChannels(socket, cloud, language)
      else socket.terminate()
    }
    return { status: 101, socket: { messageBytes, run } }
  },
  failureReply(failure, { language, requestId }) {
    const { message, code } = errorBody(failure, requestId, language).error
    return { status: failure.status, body: { code, message } }
  },
}

/** The number of open connections of each cloud. */
const connectionsPerCloud = new Map<string, number>()
let connectionCount = 0

const hasRoom = ({ cloudId }: CloudKey): boolean =>
  connectionCount < maxConnections && (connectionsPerCloud.get(cloudId) ?? 0) < maxOfCloud

function changeConnectionCount(cloudId: string, change: 1 | -1): void {
  connectionCount += change
  const own = (connectionsPerCloud.get(cloudId) ?? 0) + change
  if (own === 0) connectionsPerCloud.delete(cloudId)
  else connectionsPerCloud.set(cloudId, own)
}

function refuseChannels(socket: WebSocket, { cloudId }: CloudKey, language: Language): void {
  const reason = declarationOf('CLOUD_REALTIME_UNAVAILABLE')[language]({})
  const late = setTimeout(() => socket.terminate(), openMs).unref()
  changeConnectionCount(cloudId, 1)
  socket.once('close', () => {
    changeConnectionCount(cloudId, -1)
    clearTimeout(late)
  })
  let messages = 0
  const isAdmitted = (): boolean => {
    messages += 1
    if (messages <= maxMessages && socket.bufferedAmount <= maxUnreadBytes) return true
    socket.terminate()
    return false
  }
  socket.on('ping', isAdmitted)
  // Messages take turns, since many connections may send at once.
  const flow = scheduler.flow()
  socket.once('close', () => flow[Symbol.dispose]())
  socket.on('message', (data, isBinary) => {
    if (!isAdmitted() || isBinary) return
    flow.add(() => {
      // Answers to earlier messages may have filled the connection meanwhile.
      if (socket.bufferedAmount > maxUnreadBytes) socket.terminate()
      else answer(socket, String(data), reason)
    })
  })
}

function answer(socket: WebSocket, text: string, reason: string): void {
  const message = read(text)
  if (message?.event === 'phx_join') {
    message.answer('phx_reply', { status: 'error', response: { reason } }, socket)
    message.answer('phx_close', {}, socket)
  } else if (message?.event === 'heartbeat' || message?.event === 'phx_leave')
    message.answer('phx_reply', { status: 'ok', response: {} }, socket)
}

interface ChannelMessage {
  event: unknown
  answer(event: string, payload: object, socket: WebSocket): void
}

/**
 * Reads either form of the protocol: an array, or an object with the same members. What the answer repeats has to be a short text or a number, as
 * clients send it: writing objects nested a thousand deep again would end the process.
 */
function read(text: string): ChannelMessage | undefined {
  let value: unknown
  try {
    value = readExactly(text)
  } catch {
    return undefined
  }
  const isList = Array.isArray(value)
  if (typeof value !== 'object' || value === null) return undefined
  const { join_ref, ref, topic, event } = isList ? membersOf(value as unknown[]) : (value as Members)
  if (![join_ref, ref, topic].every(isPlain)) return undefined
  return {
    event,
    answer: (name, payload, socket) => {
      const members = { join_ref, ref, topic, event: name, payload }
      socket.send(JSON.stringify(isList ? Object.values(members) : members))
    },
  }
}

type Members = Readonly<Record<string, unknown>>

const membersOf = ([join_ref, ref, topic, event]: unknown[]): Members => ({ join_ref, ref, topic, event })

const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? value instanceof ExactNumber
    : typeof value !== 'string' || value.length <= maxCharacters
