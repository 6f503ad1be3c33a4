/** Handles a request that begins a call in a process that has a place for it: this one, or another one (docs/decisions/voice/call-hosts.md). */
import { requireUnclaimed } from '#core/calls'
import { Failure, fail } from '#platform/errors'
import type { HttpAnswer, RequestContext, SocketStream } from '#platform/http'
import { HostLost, type RemoteVoiceHost } from '#voice/realtime'
import type { CallApp } from '../app.ts'
import { answerOf, paths, type SentAnswer, sentRequest } from './messages.ts'
import { openRelay } from './relay.ts'

const retryAfterMs = 5_000

/** A request that another process may handle. */
type HostContext = RequestContext<Pick<CallApp, 'config' | 'realtime' | 'turns'>>

type Handler<Context, Result> = (context: Context) => Promise<Result>

/** Wraps the handler of a route with a complete answer. The handler throws VOICE_BUSY, before it begins anything, where its process has no place. */
export const atHost =
  <Context extends HostContext>(handle: Handler<Context, HttpAnswer>) =>
  async (context: Context): Promise<HttpAnswer> => {
    // A repeated request is answered without a place.
    const { app, caller, claim } = context
    await requireUnclaimed({ app: app.turns, caller, claim })
    return handleAtAnyHost(context, handle, (host) => answerFromHost(host, context))
  }

/** Wraps the handler of a route that is upgraded to a WebSocket: the messages are passed on to the process that has the call. */
export const socketAtHost =
  <Context extends HostContext>(handle: Handler<Context, SocketStream>) =>
  (context: Context): Promise<SocketStream> =>
    handleAtAnyHost(context, handle, (host) => openRelay(context, host))

/** @param elsewhere begins the call at another process; undefined where that process has no place, or is not reached */
async function handleAtAnyHost<Context extends HostContext, Result>(
  context: Context,
  handle: Handler<Context, Result>,
  handleAtHost: (host: RemoteVoiceHost) => Promise<Result | undefined>,
): Promise<Result> {
  const { app, trace } = context
  const own = await unlessBusy(app.realtime.capacity > 0 ? () => handle(context) : undefined)
  if (own) return own
  for (const host of await app.realtime.hosts.freeHosts()) {
    const result = await unlessBusy(() => handleAtHost(host).catch(throwHostLost))
    if (!result) continue
    trace.note({ host: host.address })
    return result
  }
  return fail('VOICE_BUSY', { capacity: await app.realtime.hosts.totalCapacity() }, { retryAfterMs })
}

async function unlessBusy<Result>(
  begin: (() => Promise<Result | undefined>) | undefined,
): Promise<Result | undefined> {
  try {
    return await begin?.()
  } catch (error) {
    if (error instanceof Failure && error.code === 'VOICE_BUSY') return undefined
    throw error
  }
}

function throwHostLost(error: unknown): never {
  if (error instanceof HostLost) throw new Failure('VOICE_HOST_LOST', {}, { executed: true, cause: error })
  throw error
}

async function answerFromHost(host: RemoteVoiceHost, context: HostContext): Promise<HttpAnswer | undefined> {
  const { app, gone } = context
  const text = await app.realtime.hosts.post(host, paths.begin, JSON.stringify(sentRequest(context)), gone)
  return text === undefined ? undefined : answerOf(context, JSON.parse(text) as SentAnswer)
}
