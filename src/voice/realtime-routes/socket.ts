/** GET /v1/realtime: a call over a WebSocket. */
import type { Static } from 'typebox'
import { Failure } from '#platform/errors'
import {
  type KeySource,
  type RequestContext,
  type Socket,
  type SocketStream,
  socketStream,
} from '#platform/http'
import type { EndReason } from '#voice/realtime'
import type { CallApp, CallContext } from './app.ts'
import { type BegunCall, begin } from './begin.ts'
import { openSession } from './call-session.ts'
import type { SocketQuery } from './schema.ts'
import { SocketTransport } from './socket-transport.ts'

/** Browsers can send no header with a WebSocket. */
export const subprotocolKey: KeySource = {
  scheme: 'subprotocolKey',
  header: 'sec-websocket-protocol',
  prefix: 'openai-insecure-api-key.',
  description: 'A client secret (or a key) as the subprotocol `openai-insecure-api-key.<secret>`.',
}

/** How far ahead of playback sound is sent, in ms: clients play it as it comes. Sound on the way is not lowered when the caller interrupts. */
const leadMs = 120
/** The delay of the way to the client and of its own buffer, in ms. */
const tailMs = 60

export async function openCall(
  context: RequestContext<CallApp, unknown, Static<typeof SocketQuery>>,
): Promise<SocketStream> {
  const begun = await begin(context, {
    transport: 'websocket',
    endpoint: '/v1/realtime',
    model: context.query.model,
    agentId: context.query.agent_id,
    sessions: context.query.intent ? [{ type: context.query.intent }] : [],
    store: context.query.store,
    accept: () => ({ statusCode: 101 }),
  })
  return socketStream(
    (socket) => talk(context, begun, socket),
    async () => void (await begun.money.end('disconnected')),
  )
}

/** Runs the call until it is settled. */
async function talk(context: CallContext, begun: BegunCall, socket: Socket): Promise<void> {
  const transport = new SocketTransport(socket)
  const session = openSession(context, begun, transport, {
    pull: () => transport.pull(),
    leadMs,
    tailMs: () => tailMs,
  })
  await begun.money.connected()
  await session.start()
  await transport.read(session)
  session.end(await closeReasonOf(context, socket))
  await session.ended
}

/** Close codes (RFC 6455, section 7.4.1): the line was lost; a bound was exceeded; a message was malformed or too long. */
const abnormal = 1006
const violated = 1008
const broken: readonly (number | undefined)[] = [1002, 1009]

/** The reason for which the line was closed while the call was still on. */
async function closeReasonOf(
  { app, caller }: CallContext,
  { closeCode, stopping }: Socket,
): Promise<EndReason> {
  if (stopping.aborted) return 'stopped'
  if (closeCode === abnormal) return 'disconnected'
  if (broken.includes(closeCode)) return 'failed'
  if (closeCode !== violated) return 'client'
  const refused = await app.turns.keys.presentCallerOf(caller.accountId, caller.keyId, caller.sessionId).then(
    () => false,
    (error: unknown) => error instanceof Failure && error.status < 500,
  )
  return refused ? 'revoked' : 'failed'
}
