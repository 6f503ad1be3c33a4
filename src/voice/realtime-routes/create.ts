/** POST /v1/realtime/calls: a call over WebRTC. */
import type { Static } from 'typebox'
import { requireUnclaimed, setAppliedFields } from '#core/calls'
import { fail } from '#platform/errors'
import { HttpAnswer, JsonText, type RequestContext } from '#platform/http'
import { unrepeatableText } from '#platform/idempotency'
import { boundsOf, readSmallJson } from '#platform/json'
import { creditsUp } from '#platform/ledger'
import { SdpRefused } from '#platform/webrtc'
import { callName, PassthroughCall } from '#voice/realtime'
import type { PeerCallApp } from './app.ts'
import { begin, type CallFacts } from './begin.ts'
import { engineOf } from './call-model.ts'
import { modelOfSession } from './chosen-model.ts'
import { PeerCall } from './peer-call.ts'
import { reasons } from './phrases.ts'
import type { CreateBody, CreatedCall, CreateForm, CreateQuery } from './schema.ts'

type CreateContext = RequestContext<
  PeerCallApp,
  Static<typeof CreateBody>,
  Static<typeof CreateQuery>,
  unknown,
  Static<typeof CreateForm>
>

const endpoint = '/v1/realtime/calls'
/** The address at which a call is read and ended. */
export const locationOf = ({ id }: Pick<CreatedCall, 'id'>): string => `${endpoint}/${id}`
const retryAfterMs = 5_000

/**
 * Answers the offer and begins a call. One that does not connect ends soon and costs nothing. Throws what `begin` throws, INVALID_REQUEST for an
 * offer that cannot be answered, WEBRTC_UNAVAILABLE, and the failure of the upstream that a call is passed to; before anything is held.
 */
export async function createCall(context: CreateContext): Promise<HttpAnswer> {
  const { app, caller, claim } = context
  await requireUnclaimed({ app: app.turns, caller, claim })
  const { offer, wantsSdp, ...callOptions } = parseCreateRequest(context)
  let peer: PeerCall | PassthroughCall | undefined
  let created: CreatedCall | undefined
  try {
    const begun = await begin(context, {
      ...callOptions,
      ...{ transport: 'webrtc', endpoint },
      accept: async (facts) => {
        peer = await answerOffer(context, facts, offer)
        created = createdCall(context, facts, peer.answer)
        const reply = wantsSdp ? unrepeatableOf(created) : JSON.stringify(created)
        return { statusCode: 201, reply, upstream: peer.upstream }
      },
    })
    peer!.begin(begun)
  } catch (error) {
    peer?.end('failed')
    throw error
  }
  return answerOf(context, created!, wantsSdp)
}

interface ParsedCreateRequest {
  offer: string
  /** Whether the answer is SDP alone. */
  wantsSdp: boolean
  model: string | undefined
  agentId: string | undefined
  sessions: Record<string, unknown>[]
  maxSeconds: number | undefined
  store: boolean | undefined
}

/** The request that body, form and query make together. Throws INVALID_REQUEST. */
function parseCreateRequest({ body, upload, query, headers }: CreateContext): ParsedCreateRequest {
  const { sdp, ...fields }: Partial<Static<typeof CreateBody>> = upload ? { sdp: upload.fields.sdp } : body
  const text = upload?.fields.session ?? query.session
  const session = fields.session ?? (text === undefined ? {} : sessionOf(text))
  const {
    voice,
    instructions,
    model = query.model ?? modelOfSession(session),
    max_seconds,
    store = query.store,
  } = fields
  const short = {
    ...(instructions !== undefined && { instructions }),
    ...(voice !== undefined && { audio: { output: { voice } } }),
  }
  return {
    offer: sdp!,
    wantsSdp: upload !== undefined || isSdp(headers['content-type']),
    model,
    agentId: fields.agent_id ?? query.agent_id,
    sessions: [session, short],
    maxSeconds: max_seconds,
    store,
  }
}

const isSdp = (type = ''): boolean => /^\s*application\/sdp\s*(;|$)/i.test(type)

function sessionOf(text: string): Record<string, unknown> {
  const bytes = Buffer.from(text)
  try {
    const value = readSmallJson(bytes, { ...boundsOf(bytes.length), exact: true })
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  return fail('INVALID_REQUEST', { why: reasons.sessionText }, { param: 'session' })
}

async function answerOffer(
  context: CreateContext,
  { model, settings }: CallFacts,
  offer: string,
): Promise<PeerCall | PassthroughCall> {
  if (model.kind === 'realtime' && model.engine === 'passthrough')
    return PassthroughCall.answer(context.app.passthrough, { model, settings, offer })
  const webrtc = (await context.app.webrtc.open()) ?? fail('WEBRTC_UNAVAILABLE', {}, { retryAfterMs })
  try {
    return new PeerCall(context, webrtc, offer)
  } catch (error) {
    if (error instanceof SdpRefused) fail('INVALID_REQUEST', { why: error.reason }, { param: 'sdp' })
    throw error
  }
}

const createdCall = (
  { requestId }: CreateContext,
  { callId, model, createdMs, expiresAtMs, maxSeconds, held }: CallFacts,
  sdp: string,
): CreatedCall => ({
  id: callName(callId),
  object: 'realtime.call',
  status: 'active',
  model: model.id,
  engine: engineOf(model, 'webrtc'),
  sdp,
  created_at: new Date(createdMs).toISOString(),
  expires_at: new Date(expiresAtMs).toISOString(),
  max_seconds: maxSeconds,
  reserved_credits: creditsUp(held),
  request_id: requestId,
})

/** The kept reply for an answer in SDP: only JSON can be sent again to a repeat. */
const unrepeatableOf = ({ id }: CreatedCall): string =>
  unrepeatableText({ made: `GET ${locationOf({ id })}`, details: { call_id: id } })

function answerOf(context: CreateContext, created: CreatedCall, wantsSdp: boolean): HttpAnswer {
  const { body } = context
  context.setHeader('location', locationOf(created))
  if (body?.max_seconds !== undefined && body.max_seconds > created.max_seconds)
    setAppliedFields(context, 'x-clamped-fields', [{ param: 'max_seconds', applied: created.max_seconds }])
  return wantsSdp
    ? new HttpAnswer(201, created.sdp, 'application/sdp')
    : new HttpAnswer(201, new JsonText(JSON.stringify(created)))
}
